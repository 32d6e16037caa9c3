import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientChannel } from 'ssh2';
import { unlessAborted } from './limit.ts';
import type { Link } from './link.ts';
import { output, TooMuchOutput } from './output.ts';
import { Secret } from './secret.ts';
import { failedThere, inWords, openFailure, outcomeUnknown, unreachable } from './ssh-errors.ts';
import type { ExecOptions, ExecResult } from './transport.ts';

const MAX_OUTPUT = 8 * 1024 * 1024;

type RunOptions = Pick<ExecOptions, 'signal' | 'stdin' | 'onLine' | 'keep'>;

/**
 * Runs shell text on a link and resolves once the channel is closed and all output is in; 'no-session' when the node
 * has none free on this connection. `onSent` tells whether the node may have begun. An abort closes the channel;
 * the remote process lives on.
 */
export async function runOnLink(
  link: Link,
  text: string,
  options: RunOptions & { onSent: (maybe: boolean) => void },
): Promise<ExecResult | 'no-session'> {
  const done = link.usage.begin();
  let release: (() => void) | undefined;
  try {
    release = await link.sessions.take(options.signal);
    return await runInSession(link, text, options);
  } finally {
    release?.();
    done();
  }
}

// sshd frees a session slightly after its close. One whose command nobody waits for stays taken until that ends.
const NO_SESSION_MS = 1_000;

async function runInSession(
  link: Link,
  text: string,
  options: RunOptions & { onSent: (maybe: boolean) => void },
): Promise<ExecResult | 'no-session'> {
  const began = performance.now();
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 200)) {
    options.onSent(true);
    const result = await tryRun(link, text, options);
    if (result !== 'no-session') return result;
    options.onSent(false);
    if (performance.now() - began > NO_SESSION_MS) return result;
    await sleep(waitMs, undefined, { signal: options.signal });
  }
}

function tryRun(link: Link, text: string, options: RunOptions): Promise<ExecResult | 'no-session'> {
  return new Promise((resolve, reject) => {
    const onOpen = (error: Error | undefined, channel: ClientChannel) => {
      // Within this callback: a short command's exit may be in the same packet, and is told only once.
      if (!error) return resolve(collect(link, channel, options));
      const reason = openFailure(error);
      if (reason === 2) return resolve('no-session');
      if (reason !== undefined) return reject(unreachable(link.route, `opens no session: ${inWords(error)}`, error));
      // ssh2 says the same of a connection that was lost before the answer.
      if (error.message === 'Unable to exec' && !link.lost.aborted) {
        return reject(
          failedThere(
            link.route,
            'refuses to run commands',
            'Is a forced command or nologin shell set for the user?',
            error,
          ),
        );
      }
      return reject(outcomeUnknown(link.route, 'the connection was lost while a command was started', error));
    };
    try {
      link.client.exec(text, onOpen);
    } catch (error) {
      reject(unreachable(link.route, inWords(error), error));
    }
  });
}

function collect(link: Link, channel: ClientChannel, options: RunOptions): Promise<ExecResult> {
  const { stdin, onLine, signal } = options;
  const stdout = output({ maxBytes: MAX_OUTPUT, keep: options.keep ?? true, onLine });
  const stderr = output({ maxBytes: MAX_OUTPUT, keep: true });
  let exitCode: number | undefined;
  let open = true;
  channel.on('error', () => {});

  const closed = new Promise<ExecResult>((resolve, reject) => {
    // Both streams are always read: what is left unread keeps 'close' from coming, or blocks the command.
    const read = (work: () => void) => {
      try {
        if (!signal.aborted) work();
      } catch (error) {
        reject(error instanceof TooMuchOutput ? tooMuch(link) : error);
      }
    };
    channel.stderr.on('data', (chunk: Buffer) => read(() => stderr.push(chunk)));
    channel.on('data', (chunk: Buffer) => read(() => stdout.push(chunk)));
    channel.on('exit', (code: number | null, name?: string) => {
      exitCode = code ?? codeOfSignal(name);
    });
    channel.on('close', () => {
      open = false;
      const code = exitCode;
      if (code === undefined || link.lost.aborted) {
        return reject(outcomeUnknown(link.route, 'the connection was lost before the command ended', link.lost.reason));
      }
      return read(() => resolve({ exitCode: code, stdout: stdout.end(), stderr: stderr.end() }));
    });
  });

  channel.end(stdin instanceof Secret ? stdin.reveal() : (stdin ?? ''));
  return unlessAborted(closed, signal).finally(() => {
    if (open) leave(channel);
  });
}

/** Closes the channel of a command that may go on. What it still prints is thrown away. */
function leave(channel: ClientChannel): void {
  channel.resume();
  channel.stderr.resume();
  channel.close();
}

// As a shell reports it: 128 + the signal's number.
function codeOfSignal(name = ''): number {
  const numbers: Record<string, number> = constants.signals;
  return 128 + (numbers[name.startsWith('SIG') ? name : `SIG${name}`] ?? 0);
}

function tooMuch(link: Link): Error {
  return failedThere(
    link.route,
    `a command printed more than ${MAX_OUTPUT / 1024 / 1024} MB`,
    'Ask for less of it, such as the last lines of a log.',
  );
}
