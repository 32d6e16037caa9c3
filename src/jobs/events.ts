import type { CheckRow } from '../cluster/finding.ts';
import type { PhaseName } from '../cluster/plan.ts';
import type { Decision, When } from './approval/approval.ts';
import type { Action, Cause, Forced, Person, PhaseState, State } from './deployment.ts';

export type { CheckRow };

/** What happened to a deployment, in the order of `seq` (1, 2, ...). Knows nothing of Slack. `at` is ISO 8601 UTC. */
export type DeploymentEvent = { seq: number; at: string } & EventBody;

export type EventBody =
  | { kind: 'admitted'; by: Person }
  /** An admin passed a guard: comes right after the run's `admitted`. */
  | { kind: 'forced'; action: Action; forced: Forced }
  | { kind: 'phase'; phase: PhaseName; state: PhaseState; saw?: string }
  | { kind: 'checks'; phase: PhaseName; rows: readonly CheckRow[] }
  | {
      kind: 'note';
      phase: PhaseName;
      level: 'info' | 'warning';
      text: string;
      node?: string;
      lines?: readonly string[];
    }
  | { kind: 'progress' }
  | { kind: 'cancel-asked'; by: Person }
  /** `phase`: where it was. */
  | { kind: 'aborting'; to: 'failed' | 'cancelled'; phase?: PhaseName; cause?: Cause; by?: Person }
  /** Somebody has to agree. `id` tells the requests of a record apart. */
  | { kind: 'approval-asked'; id: number; action: Action; by: Person }
  /** One of several that are needed. */
  | { kind: 'approval-vote'; id: number; by: Person; when: When }
  | { kind: 'approval-decided'; id: number; decision: Decision }
  | { kind: 'handover'; why: string }
  | { kind: 'ended'; state: State; cause?: Cause; remedy?: string };
