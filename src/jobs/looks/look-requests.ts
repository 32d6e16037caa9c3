import type { LogExcerpt, NodeStatus } from '../jobs.ts';

/** An engine whose health is asked: where it listens. */
export interface EngineAt {
  uid: string;
  cluster: string;
  node: string;
  port: number;
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
  node?: string;
  lines: number;
}

/** A look as a queue carries it: reads only, takes no lease, ends within the look's limit. */
export type LookRequest = StatusLook | LogLook;

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
}

export type LookAnswer = StatusAnswer | { kind: 'logs'; excerpt: LogExcerpt };
