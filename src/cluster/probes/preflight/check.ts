import type { CheckRow } from '../../finding.ts';
import type { Plan, PlanNode } from '../../plan.ts';
import type { Belonging } from '../belonging.ts';
import type { NodeFacts } from './facts.ts';
import type { ImagePrograms } from './image-programs.ts';

/** What a check may look at: its node, and what it takes to compare it with the others. */
export interface CheckInput {
  plan: Plan;
  node: PlanNode;
  facts: NodeFacts;
  /** Undefined for the head itself, and when the head could not be read. */
  head: NodeFacts | undefined;
  /** Undefined when nothing may be started on the nodes. */
  programs: ImagePrograms | undefined;
  belonging: Belonging;
  /** Every node could be read. Otherwise nobody knows whose a container is. */
  complete: boolean;
  /** What serves may be stopped, once that is approved: judged as if it were gone. */
  replacing: boolean;
  /** The ports of what serves; undefined: not known, since its plan is not. */
  servingPorts: readonly number[] | undefined;
  /** What an admin passes, with a reason: it is told, and stops nothing. */
  forced: ReadonlySet<Forcible>;
}

/** Kinds of refusal that an admin may pass. */
export type Forcible = 'hold' | 'checks' | 'foreign';

/** A row without its node and name. */
export type Judgement = Omit<CheckRow, 'node' | 'check'>;

/** Judges one thing on one node. To add a check, write one of these and name it in checks.ts. */
export interface Check {
  name: string;
  /** Undefined: there is nothing to say about this node. */
  judge: (input: CheckInput) => Judgement | undefined;
}

export function ok(text: string): Judgement {
  return { state: 'ok', text };
}
