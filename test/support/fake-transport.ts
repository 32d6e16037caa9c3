import type { Duplex } from 'node:stream';
import type { Command } from '../../src/cluster/remote/command.ts';
import { unlessAborted } from '../../src/cluster/remote/limit.ts';
import { Secret } from '../../src/cluster/remote/secret.ts';
import { toShell } from '../../src/cluster/remote/shell.ts';
import type { ExecResult, Transport } from '../../src/cluster/remote/transport.ts';
import { OperatorError } from '../../src/errors.ts';

export interface FakeCall {
  node: string;
  /** The shell text. */
  text: string;
  command: Command;
  /** Secrets as sent. */
  stdin: string;
  /** Aborts with the call. */
  signal: AbortSignal;
}

/** What a command does: a text is its standard output. */
export type FakeAnswer = string | Partial<ExecResult> | Error;
export type FakeScript = (call: FakeCall) => FakeAnswer | Promise<FakeAnswer>;

export interface FakeTransport extends Transport {
  readonly calls: FakeCall[];
  /** The calls' texts, each after its node: "spark1: docker ps". */
  texts: () => string[];
}

/** A transport whose answers a test scripts; every call is recorded. Without a script each command succeeds silently. */
export function fakeTransport(
  script: FakeScript = () => '',
  dial: (node: string, target: { host: string; port: number }) => Promise<Duplex> = refuse,
): FakeTransport {
  const calls: FakeCall[] = [];
  return {
    calls,
    texts: () => calls.map(({ node, text }) => `${node}: ${text}`),

    async exec(node, command, { signal, stdin = '', onLine, keep = true }) {
      signal.throwIfAborted();
      const call = {
        node,
        text: toShell(command),
        command,
        stdin: stdin instanceof Secret ? stdin.reveal() : stdin,
        signal,
      };
      calls.push(call);
      const answer = await unlessAborted(Promise.resolve(script(call)), signal);
      if (answer instanceof Error) throw answer;
      const { exitCode = 0, stdout = '', stderr = '' } = typeof answer === 'string' ? { stdout: answer } : answer;
      if (onLine) for (const line of linesOf(stdout)) onLine(line);
      return { exitCode, stdout: keep ? stdout : '', stderr };
    },

    dial: (node, target) => dial(node, target),
    close: () => Promise.resolve(),
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function refuse(node: string, { host, port }: { host: string; port: number }): Promise<Duplex> {
  return Promise.reject(
    new OperatorError('unreachable', `${node}: ${host}:${port} from there: connection refused`, {
      hint: 'Look there.',
      node,
    }),
  );
}
