import { OperatorError } from '../../errors.ts';
import { run, type Command, type Exec } from './command.ts';
import { installedPrograms, programPath, programText } from './programs.ts';
import type { ExecResult, Transport } from './transport.ts';

/** The three words that every changing command must show to a node. */
export interface Grip {
  realm: string;
  fence: number;
  /** The lease's. */
  token: string;
}

/** Written into the node's fence file, for people. */
export interface About {
  number: number;
  recipe: string;
  by: string;
  /** ISO 8601 UTC. */
  since: string;
}

export interface FenceRequest {
  transport: Transport;
  node: string;
  state: string;
  grip: Grip;
  about: About;
  signal: AbortSignal;
  limitMs: number;
}

export type Raised =
  | { ok: true }
  | { ok: false; why: 'higher' | 'equal-other-token'; fence: number }
  | { ok: false; why: 'other-realm'; realm: string; renewedSecondsAgo: number };

export interface GuardTimes {
  /** Waiting for the node's lock, in whole seconds. */
  lockSeconds: number;
  /** The command itself; 5 s later it is killed. */
  commandSeconds: number;
}

const GUARD_TIMES: GuardTimes = { lockSeconds: 30, commandSeconds: 60 };

/**
 * Makes a node obey this grip alone: installs the programs, waits for what still runs under the node's lock, compares and
 * writes. Raising again with the same grip does no harm. When it resolves with ok, nothing older runs there any more.
 */
export async function raise(request: FenceRequest): Promise<Raised> {
  const { transport, node, state, grip, about, signal, limitMs } = request;
  const { hash, installer } = installedPrograms();
  // The answer must come before our own limit, or its outcome is unknown.
  const lockSeconds = Math.max(1, Math.floor(limitMs / 1_000) - 5);
  const command = run('sh', '-s', '--', state, hash, lockSeconds, ...gripWords(grip), ...aboutWords(about));
  const result = await transport.exec(node, command, { signal, limitMs, stdin: installer + programText('raise.sh') });
  return raisedOf(request, result);
}

/** Tells people and other realms that this process still works here. Every 60 s; older than 5 min is stale. */
export async function renewFence({ transport, node, state, grip, about, signal, limitMs }: FenceRequest): Promise<void> {
  const renew = run(programPath(state, 'fence.sh'), 'renew', ...gripWords(grip), ...aboutWords(about));
  const result = await transport.exec(node, guarded(renew, grip, state), { signal, limitMs });
  if (guardVerdict(node, result).exitCode === 0) return;
  throw failed(node, `the fence in ${state} could not be renewed`, `Look at the disk of ${node}.`, result);
}

/** The command as it runs under the node's guard: exit code 75 = another process holds the fence, 76 = the lock stayed busy. */
export function guarded(command: Exec, grip: Grip, state: string, times: GuardTimes = GUARD_TIMES): Exec {
  const lock = ['flock', '-o', '-E', 76, '-w', times.lockSeconds, `${state}/lock`] as const;
  const guard = [programPath(state, 'guard.sh'), ...gripWords(grip), '--'] as const;
  return { kind: 'exec', words: [...lock, ...guard, 'timeout', '-k', 5, times.commandSeconds, ...command.words] };
}

/** Rejects with 'stale-fence', 'lock-busy' or, when the guard itself could not run, 'command-failed'. */
export function guardVerdict(node: string, result: ExecResult): ExecResult {
  if (result.exitCode === 75) {
    throw new OperatorError('stale-fence', `${node} belongs to a newer process now; this one changes nothing more there`, {
      hint: `The newer process goes on. The refusal stands in refused.log of the node's state folder.`,
      lines: linesOf(result),
      node,
    });
  }
  if (result.exitCode === 76) {
    throw new OperatorError('lock-busy', `${node}: another command still runs under the node's lock`, {
      hint: `On ${node} see what runs with: ps -ef | grep guard.sh`,
      node,
    });
  }
  if (result.exitCode !== 0 && /^(flock|sh): /.test(result.stderr) && /lock|guard\.sh/.test(result.stderr)) {
    throw failed(node, 'the guard in front of a command could not run', 'Was the state folder removed? Deploy again.', result);
  }
  return result;
}

/** Prints the highest deployment number that the node has seen, or nothing. */
export function numbersCommand(state: string): Command {
  const file = `${state}/number`;
  return { kind: 'join', by: '||', commands: [run('test', '!', '-e', file), run('cat', file)] };
}

/** 0 when the node has seen none. */
export async function readHighestNumber(
  { transport, signal, limitMs }: Pick<FenceRequest, 'transport' | 'signal' | 'limitMs'>,
  node: string,
  state: string,
): Promise<number> {
  const result = await transport.exec(node, numbersCommand(state), { signal, limitMs });
  const text = result.stdout.trim();
  if (result.exitCode === 0 && /^\d*$/.test(text)) return Number(text);
  throw failed(node, `${state}/number can't be read`, `Look at it on ${node}: it holds the last deployment's number.`, result);
}

function raisedOf({ node, state, limitMs }: FenceRequest, result: ExecResult): Raised {
  // A login shell may print something of its own around it.
  const [, word, ...rest] = /^sparkops-fence: (.*)$/m.exec(result.stdout)?.[1]?.match(/\S+/g) ? answerWords(result) : [];
  switch (word) {
    default:
      throw failed(node, 'the fence could not be raised', `Does a shell command work there? ssh ${node} true`, result);
  }
}
