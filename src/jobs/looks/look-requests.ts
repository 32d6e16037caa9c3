import type { CheckRow } from '../events.ts';
import type { Deployment, Plan } from '../deployment.ts';
import type { BenchRun, FullLog, LogExcerpt, NodeStatus } from '../jobs.ts';

/** An engine whose health is asked: where it listens. */
export interface EngineAt {
  uid: string;
  cluster: string;
  node: string;
  port: number;
}

export function engineAt({ uid, cluster, plan }: Pick<Deployment, 'uid' | 'cluster' | 'plan'>): EngineAt {
  return { uid, cluster, node: plan.nodes[0].name, port: plan.port };
}

export interface StatusLook {
  kind: 'status';
  clusters: readonly string[];
  engines: readonly EngineAt[];
}

export interface LogLook {
  kind: 'logs';
  cluster: string;
  /** Whose log; without it, whatever container of ours the node has. */
  deployment?: { uid: string; number: number; head: string; ended: boolean };
  /** Its name, or 'head' or 'worker'. */
  node?: string;
  lines: number;
  grep?: string;
  sinceMs?: number;
}

/** Preflight's checks of a plan, without a lease: nothing can be changed. */
interface CheckLook {
  kind: 'check';
  plan: Plan;
}

/** A few questions to the engine of a plan. */
interface BenchLook {
  kind: 'bench';
  plan: Plan;
}

/** The end of the engine's own log, for a file. */
export interface FullLogLook {
  kind: 'full-log';
  cluster: string;
  uid: string;
  head: string;
  bytes: number;
}

/** A look as a queue carries it: reads only, takes no lease, ends within the look's limit. */
export type LookRequest = StatusLook | LogLook | CheckLook | BenchLook | FullLogLook;

export interface StatusAnswer {
  kind: 'status';
  clusters: readonly {
    cluster: string;
    nodes: readonly NodeStatus[];
    engines: readonly EngineHealth[];
    /** ISO 8601 UTC. */
    lookedAt: string;
  }[];
}

export interface EngineHealth {
  uid: string;
  health: 'ok' | 'silent' | 'refused';
  text: string;
  /** Its process is gone for certain. */
  down?: boolean;
}

export type LookAnswer =
  | StatusAnswer
  | { kind: 'logs'; excerpt: LogExcerpt }
  | { kind: 'check'; rows: readonly CheckRow[] }
  | { kind: 'bench'; runs: readonly BenchRun[] }
  | { kind: 'full-log'; log?: FullLog };

/** A bench waits for whole answers of the model. */
export const BENCH_MS = 90_000;
