import type { BenchRun } from '../cluster/probes/bench-engine.ts';
import type { ClusterStatus } from './cluster-status.ts';
import type { Deployment, Plan } from './deployment.ts';
import type { CheckRow } from './events.ts';

/** What a deploy would run. */
export interface PlanAnswer {
  plan: Plan;
  /** All of it, for people. */
  text: string;
  revision: string;
}

export interface CheckAnswer {
  cluster: string;
  recipe: string;
  rows: readonly CheckRow[];
}

/** What runs on a cluster now, and what its log says. */
export interface Diagnosis {
  status: ClusterStatus;
  /** Whose log it is: what runs, else what serves. */
  record?: Deployment;
  log?: {
    node: string;
    source: string;
    /** Seconds since the last line that has a time. */
    quietSeconds?: number;
    /** The error that says most, if there is one among the last lines. */
    error?: { text: string; lines: readonly string[] };
    last: readonly string[];
  };
  /** Why there is no log. */
  logProblem?: string;
}

export interface BenchAnswer {
  record: Deployment;
  runs: readonly BenchRun[];
}

export interface LogExcerpt {
  cluster: string;
  number?: number;
  node: string;
  /** What the lines are of: the engine's log, or a container's. */
  source: string;
  lines: readonly string[];
  /** Why there is nothing to show, in one or two sentences; then there are no lines. */
  nothing?: string;
  /** How many of the log's last lines were searched for those that were asked for. */
  searched?: number;
}

/** The end of the log that an engine wrote itself. */
export interface FullLog {
  node: string;
  text: string;
  /** It is all there is. */
  whole: boolean;
}
