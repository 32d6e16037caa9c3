import type { Progress } from '../cluster/finding.ts';
import type { PhaseName, Plan } from '../cluster/plan.ts';

export type { PhaseName, Plan, Progress };

type LiveState = 'queued' | 'running' | 'aborting';
/** `serving` is an end of the attempt and frees the claim, but may still become stopped, replaced or died. */
export type EndState = 'serving' | 'failed' | 'cancelled' | 'stopped' | 'replaced' | 'died';
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

/** The durable record of a numbered attempt to make a plan true. Times are ISO 8601 UTC. Holds no secret. */
export interface Deployment {
  schema: 1;
  /** For people. */
  number: number;
  /** For identity, labels and paths: 10 characters a-z0-9. */
  uid: string;
  cluster: string;
  recipe: string;
  run: 'deploy' | 'stop';
  by: Person;
  /** Whose model it is. */
  owner?: Person;
  /** When its owner will be done with it, ISO 8601 UTC. Shown; nothing is stopped by it. */
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

export function isEnded(state: State): boolean {
  return state !== 'queued' && state !== 'running' && state !== 'aborting';
}
