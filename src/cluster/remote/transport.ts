import type { Duplex } from 'node:stream';
import type { Command } from './command.ts';
import type { Secret } from './secret.ts';

export interface ExecOptions {
  signal: AbortSignal;
  /** Milliseconds from the call to the exit code, connecting included. Past it: 'outcome-unknown', or 'unreachable' when not yet sent. */
  limitMs: number;
  /** Sent to the command's standard input, which is then closed. Secrets travel here and nowhere else. */
  stdin?: string | Secret;
  /** Called with each whole line of standard output as it comes; `stdout` of the result still holds all of it. */
  onLine?: (line: string) => void;
  /** false: lines go to onLine alone and `stdout` of the result is ''. For what prints much or for long: at most 8 MB are kept. */
  keep?: boolean;
}

export interface ExecResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * A way to run commands on the nodes of one cluster. `node` is a node's name.
 *
 * Every transport passes one contract suite (test/cluster/remote/transport.contract.ts).
 */
export interface Transport {
  /**
   * Resolves whatever the exit code. Rejects with an OperatorError only when the command could not be run to its end:
   * 'unreachable' (never started; trying again may help), 'host-key' or 'login' (trying again can't help),
   * 'outcome-unknown' (started, but no exit code came: look again). An aborted signal rejects with its reason.
   * Neither aborting nor the limit stops the remote process.
   */
  exec(node: string, command: Command, options: ExecOptions): Promise<ExecResult>;
  /** A TCP connection to `host:port` as the node itself sees them (direct-tcpip). Rejects 'unreachable' when refused. */
  dial(
    node: string,
    target: { host: string; port: number },
    options: { signal: AbortSignal; limitMs: number },
  ): Promise<Duplex>;
  close(): Promise<void>;
}
