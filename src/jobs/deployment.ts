import type { Progress } from '../cluster/finding.ts';
import type { Foreign } from '../cluster/probes/foreign.ts';
import type { PhaseName, Plan } from '../cluster/plan.ts';
import type { Forcible } from '../cluster/probes/preflight/check.ts';
import type { Approval } from './approval/approval.ts';

export type { Forcible, PhaseName, Plan, Progress };

type LiveState = 'queued' | 'running' | 'waiting-approval' | 'aborting';
/** `serving` is an end of the attempt and frees the claim, but may still become stopped, replaced or died. */
export type EndState =
  | 'serving'
  | 'failed'
  | 'cancelled'
  | 'denied'
  | 'expired'
  | 'void'
  | 'stopped'
  | 'replaced'
  | 'died';
export type State = LiveState | EndState;

export type PhaseState = 'waiting' | 'running' | 'done' | 'failed' | 'undone';

export interface PhaseRecord {
  name: PhaseName;
  state: PhaseState;
  /** ISO 8601 UTC. */
  startedAt?: string;
  endedAt?: string;
  attempts: number;
  /** One line for people: what was seen. */
  saw?: string;
}

/** Why an attempt ended badly, with the lines that prove it. */
export interface Cause {
  text: string;
  /** The same in at most about 35 characters, for a lock screen: "spark2 lacks the image". */
  short?: string;
  node?: string;
  lines: readonly string[];
}

export interface Person {
  team: string;
  user: string;
}

/** What a person asked for. `deploy`, `restart` and `rollback` make a new attempt; `stop` is a run on the one that serves. */
export type Action = 'deploy' | 'restart' | 'rollback' | 'stop' | 'stop-foreign' | 'cancel';

/** Told to the channel, and on the card for good. */
export interface Forced {
  what: readonly Forcible[];
  reason: string;
  by: Person;
}

/** A deployment that serves, as the nodes show it. */
export interface Serving {
  uid: string;
  number: number;
  recipe: string;
}

/** What preflight says of a deployment that serves: could it be started again? */
export interface Found extends Serving {
  wayBack: { proven: boolean; text: string };
}

/** The durable record of a numbered attempt to make a plan true. Times are ISO 8601 UTC. Holds no secret. */
export interface Deployment {
  schema: 1;
  /** For people. */
  number: number;
  /** For identity, labels and paths: 10 characters a-z0-9. */
  uid: string;
  cluster: string;
  recipe: string;
  run: 'deploy' | 'stop' | 'stop-foreign';
  /** What the current run was asked for. Left out in records of before: the same as `run`. */
  action?: Action;
  by: Person;
  /** Whose model it is. */
  owner?: Person;
  /** When its owner will be done with it, ISO 8601 UTC. Nothing is stopped by it; afterwards it is replaced without approval. */
  until?: string;
  /** What it is for, in the owner's words. */
  note?: string;
  state: State;
  phase?: PhaseName;
  phases: readonly PhaseRecord[];
  cause?: Cause;
  remedy?: string;
  endpoint?: string;
  smoke?: { ttftMs: number; tokensPerSecond: number };
  progress?: Progress;
  /** Why it is aborting, and what state it will end in. */
  aborting?: { to: 'failed' | 'cancelled'; by?: Person };
  /** Who asked for the stop, of a run 'stop'. */
  stopBy?: Person;
  forced?: Forced;
  /** The latest request for approval on this record: of its run, or of a cancel. */
  approval?: Approval;
  /** What serves now and is to be removed before this one starts: decided before the point of no return. */
  replaces?: readonly Serving[];
  /** What preflight's checks came to. */
  checks?: { ok: number; warnings: number };
  /** What preflight found serving on the nodes. */
  found?: readonly Found[];
  /** Foreign containers and processes that a run 'stop-foreign' was asked to stop. */
  foreign?: readonly Foreign[];
  /** The point of no return: from here on, what served before may be gone. ISO 8601 UTC. */
  pastReturnAt?: string;
  /** Until when running requests are waited for, ISO 8601 UTC. */
  drainUntil?: string;
  /** How long nothing served while it started, in milliseconds. Kept by a stop, which takes the place of its phases. */
  downMs?: number;
  /** Set by [Stop now]: running requests are not waited for any longer. */
  stopNow?: { by: Person; at: string };
  /** Of one that was replaced: the number of what came instead. Of one that failed: a newer one had acted on its nodes before it could end. */
  replacedBy?: number;
  /** Set by a cancel; the process that runs the deployment acts on it. */
  cancelAsked?: { by: Person; at: string };
  plan: Plan;
  /** First 8 hex digits of the SHA-256 over all configuration files. */
  revision: string;
  sparkopsVersion: string;
  imageDigest?: string;
  /** Stalls judged by the queue in the current phase; 3 = failed. */
  stalls: number;
  /** The queue's own count of stalls, as last seen. */
  stallsSeen?: number;
  createdAt: string;
  endedAt?: string;
}

/** A record of another version's shape: it is left alone, since what we don't understand we would break. */
export function isForeign({ schema }: { schema: number }): boolean {
  return schema !== 1;
}

const LIVE: ReadonlySet<State> = new Set<State>(['queued', 'running', 'waiting-approval', 'aborting']);

export function isEnded(state: State): boolean {
  return !LIVE.has(state);
}

/** Whether it has answered people, whatever became of it later. */
export function hasServed(state: State): boolean {
  return state === 'serving' || state === 'stopped' || state === 'replaced' || state === 'died';
}

export function actionOf({ action, run }: Pick<Deployment, 'action' | 'run'>): Action {
  return action ?? run;
}

/** Who asked for the current run. */
export function askerOf({ stopBy, by }: Pick<Deployment, 'stopBy' | 'by'>): Person {
  return stopBy ?? by;
}

export function isSame(one: Person, other: Person): boolean {
  return one.user === other.user && (one.team === '' || other.team === '' || one.team === other.team);
}
