import { and, run, type Command } from '../../cluster/remote/command.ts';
import { programText } from '../../cluster/remote/programs.ts';
import type { ExecResult, Transport } from '../../cluster/remote/transport.ts';
import { OperatorError } from '../../errors.ts';
import { idOf, type HeadItem } from './outbox.ts';

export interface Head {
  transport: Transport;
  node: string;
  /** The node's state folder. */
  state: string;
  realm: string;
  signal: AbortSignal;
  limitMs: number;
}

/** What a head remembers of the time before, as text. */
export interface HeadMemory {
  hold?: string;
  freeze?: string;
  /** The last id that it was given. */
  lastId: number;
}

/** No item can be this line: each begins with its id. */
const END = 'END-OF-ITEMS';
const LOCK_BUSY = 76;

/**
 * Writes items to the head under its lock; those that it has already are passed over. Resolves with the id up to which it
 * has them now. Rejects with 'lock-busy', 'command-failed', 'unreachable' or 'outcome-unknown': then they come again.
 */
export async function writeHeadFiles(head: Head, items: readonly HeadItem[]): Promise<number> {
  const { transport, node, state, realm, signal, limitMs } = head;
  // The answer must come before our own limit, or its outcome is unknown.
  const lockSeconds = Math.max(1, Math.floor(limitMs / 2_000));
  const lock = run('flock', '-o', '-E', LOCK_BUSY, '-w', lockSeconds, `${state}/lock`, 'sh', '-s', '--', state, realm);
  const command: Command = and(run('mkdir', '-p', '-m', '0700', '--', state), lock);
  const lines = items.map((item) => item.replaceAll(/\p{Cc}/gu, ' '));
  const stdin = ['items() {', `cat <<'${END}'`, ...lines, END, '}', programText('head-files.sh')].join('\n');
  const result = await transport.exec(node, command, { signal, limitMs, stdin });
  if (result.exitCode === LOCK_BUSY) {
    const hint = `It is tried again. See what holds it on ${node}: ps -ef | grep guard.sh`;
    throw new OperatorError('lock-busy', `${node}: another command holds ${state}/lock`, { hint, node });
  }
  const id = lastIdIn(result);
  if (id === undefined || (result.exitCode !== 0 && id < idOf(items[0] ?? '0'))) {
    throw new OperatorError('command-failed', `${node}: holds and audit can't be written to ${state}`, {
      hint: `It is tried again. Look at it on ${node}: ls -ld ${state}; df -h ${state}`,
      lines: `${result.stdout}\n${result.stderr}`
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-15),
      node,
    });
  }
  return id;
}

/** What is held there, by its files. Ended holds are among them. */
export async function readHeadFiles({ transport, node, state, realm, signal, limitMs }: Head): Promise<HeadMemory> {
  const command = run('sh', '-s', '--', state, realm, 'read');
  const result = await transport.exec(node, command, { signal, limitMs, stdin: programText('head-files.sh') });
  const hold = lineOf(result, 'hold');
  const freeze = lineOf(result, 'freeze');
  return {
    ...(hold !== undefined && { hold }),
    ...(freeze !== undefined && { freeze }),
    lastId: lastIdIn(result) ?? 0,
  };
}

function lastIdIn(result: ExecResult): number | undefined {
  const text = lineOf(result, 'head');
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** A login shell may print something of its own before it. */
function lineOf({ stdout }: ExecResult, name: string): string | undefined {
  return stdout
    .split('\n')
    .find((line) => line.startsWith(`sparkops-${name}: `))
    ?.slice(`sparkops-${name}: `.length);
}
