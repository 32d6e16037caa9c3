import type { Action, Found, Person } from '../deployment.ts';
import type { EngineState } from '../../cluster/probes/engine-state.ts';

/** How a request is decided; frozen when it is made. */
export interface ApprovalTerms {
  /** How many people must agree. */
  required: number;
  /** Rights, users or user groups: who decides. The surface compares them, jobs only counts. */
  from: readonly string[];
  /** Whether who asks may decide as well. */
  self: boolean;
  onExpiry: 'drop' | 'proceed';
  /** How long an approval "when idle" waits for that. */
  idleMs: number;
  /** Who may decide alone, with a reason, when it has waited so long. */
  breakGlass?: { afterMs: number; right: string };
}

/** A deployment that serves and would be interrupted, as it was when the approval was asked for. */
export interface Interrupted extends Found {
  owner?: Person;
  /** ISO 8601 UTC. */
  until?: string;
  note?: string;
  /** When it began to serve, ISO 8601 UTC. */
  since?: string;
  state: EngineState;
  /** Requests now; undefined: the engine does not say. */
  running?: number;
  waiting?: number;
  /** ISO 8601 UTC, from the samples that looks left; undefined: none of them saw one. */
  lastRequestAt?: string;
  /** Undefined: the samples don't cover the hour. */
  requestsLastHour?: number;
}

export interface ApprovalFacts {
  interrupts: readonly Interrupted[];
  /** Containers and processes that sparkops did not start and that would be stopped: "vllm_node on spark1". */
  foreign: readonly string[];
  /** How long nothing will serve, from history. */
  downMs?: number;
  checks: { ok: number; warnings: number };
  /** The cluster asks for approval whatever is interrupted. */
  protected: boolean;
}

/** When it is carried out: at once, or when no request runs. */
export type When = 'now' | 'idle';

interface Vote {
  by: Person;
  at: string;
  when: When;
}

export type Decision =
  | { kind: 'approved'; at: string; by: readonly Person[]; when: When; glass?: { reason: string } }
  | { kind: 'denied'; at: string; by: Person; why?: string }
  | { kind: 'withdrawn'; at: string; by: Person }
  | { kind: 'expired'; at: string }
  | { kind: 'void'; at: string; why: string; by?: Person };

/** A request to interrupt a serving model. Times are ISO 8601 UTC. */
export interface Approval {
  /** 1, 2, ... on this record: a button of an earlier request is told apart by it. */
  id: number;
  action: Action;
  by: Person;
  at: string;
  until: string;
  terms: ApprovalTerms;
  facts: ApprovalFacts;
  votes: readonly Vote[];
  decision?: Decision;
}

/** What a person does about a request. */
export type Say =
  | { kind: 'approve'; when: When }
  | { kind: 'break-glass'; reason: string }
  | { kind: 'deny'; why?: string }
  | { kind: 'object'; why?: string }
  | { kind: 'withdraw' };
