import type { Duplex } from 'node:stream';
import type { Finding } from './finding.ts';
import type { PlanNode } from './plan.ts';
import type { Command, Exec } from './remote/command.ts';
import type { Secret } from './remote/secret.ts';
import type { ExecResult } from './remote/transport.ts';

interface ReadOptions {
  stdin?: string;
  /** Default: the plan's readMs. */
  limitMs?: number;
  /** A command that is tried again gives its lines again. */
  onLine?: (line: string) => void;
  /** false: lines go to onLine alone and `stdout` is ''. For what prints much or for long: at most 8 MB are kept. */
  keep?: boolean;
}

/** One node as phases and probes see it. The run's signal is applied to each call. */
export interface Machine {
  readonly node: PlanNode;
  /** A command that changes nothing. 'unreachable' and 'outcome-unknown' are tried again with backoff until the run's signal ends it. */
  read: (command: Command, options?: ReadOptions) => Promise<ExecResult>;
  /**
   * A changing command, run under the node's guard. Waits while the lease is unknown; never repeated by itself.
   * Resolves with the command's own exit code; rejects with 'stale-fence', 'lock-busy', 'outcome-unknown' (look again) or 'unreachable'.
   */
  change: (command: Exec, options?: { stdin?: string | Secret }) => Promise<ExecResult>;
  /** A TCP connection to host:port as the node sees them. */
  dial: (target: { host: string; port: number }, options?: { limitMs?: number }) => Promise<Duplex>;
  /** Why this node's fence could not be raised; no changing command starts while any node has one. */
  readonly raiseProblem?: Finding;
}
