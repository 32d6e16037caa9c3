import { OperatorError, type ErrorCode } from '../../errors.ts';
import { run, type Word } from './command.ts';
import { gripWords, type Grip } from './grip.ts';
import { guarded, passedGuard } from './guard.ts';
import { installedPrograms, programPath } from './programs.ts';
import type { ExecResult, Transport } from './transport.ts';

/** Who raises it. All but the first two is for people, in the node's fence file. */
export interface About {
  /** Of the deployment: an attempt may not act on a node once a newer one has. */
  number: number;
  /** What it does; only a 'deploy' is such an attempt, as the others remove nothing but what they were asked to. */
  run: 'deploy' | 'stop' | 'stop-foreign';
  recipe: string;
  by: string;
  /** ISO 8601 UTC. */
  since: string;
}

export interface FenceRequest {
  transport: Transport;
  node: string;
  /** The node's state folder. */
  state: string;
  grip: Grip;
  about: About;
  signal: AbortSignal;
  limitMs: number;
}

export type Raised =
  | { ok: true }
  | { ok: false; why: 'higher' | 'equal-other-token'; fence: number }
  /** A deployment with this higher number has acted there. */
  | { ok: false; why: 'newer'; number: number }
  | { ok: false; why: 'other-realm'; realm: string; renewedSecondsAgo: number };

/**
 * Makes a node obey this grip alone: installs the programs, waits for what still runs under the node's lock (up to 5 s
 * less than limitMs), compares and writes. Once it resolves with ok, nothing older runs there any more.
 * Raising again with the same grip does no harm.
 */
export async function raise(request: FenceRequest): Promise<Raised> {
  const { transport, node, state, grip, about, signal, limitMs } = request;
  const { hash, installer } = installedPrograms();
  // The answer must come before our own limit, or its outcome is unknown.
  const lockSeconds = Math.max(1, Math.floor(limitMs / 1_000) - 5);
  const command = run('sh', '-s', '--', state, hash, lockSeconds, ...gripWords(grip), ...aboutWords(about));
  return raisedOf(request, await transport.exec(node, command, { signal, limitMs, stdin: installer }));
}

/**
 * Tells people and other realms that this process still works here: every 60 s, as older than 5 min is stale.
 * Rejects with 'stale-fence' when another process has raised the fence.
 */
export async function renewFence({
  transport,
  node,
  state,
  grip,
  about,
  signal,
  limitMs,
}: FenceRequest): Promise<void> {
  const renew = run(programPath(state, 'fence.sh'), 'renew', ...gripWords(grip), ...aboutWords(about));
  const result = passedGuard(node, await transport.exec(node, guarded(renew, grip, state), { signal, limitMs }));
  if (result.exitCode === 0) return;
  throw failure('command-failed', node, `the fence in ${state} could not be renewed`, 'Is the disk full?', result);
}

function aboutWords({ number, run, recipe, by, since }: About): readonly Word[] {
  // Names come from people: one line each, in a file that is read by lines, and in the order in which they are written.
  return [number, run, ...[recipe, by, since].map((text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '))];
}

function raisedOf({ node, state }: FenceRequest, result: ExecResult): Raised {
  // A login shell may print something of its own before it.
  const answer = /^sparkops-fence: (.*)$/m.exec(result.stdout)?.[1] ?? '';
  const [word = '', first = '', second = ''] = answer.split(' ');
  const fail = (what: string, hint: string) => failure('command-failed', node, what, hint, result);
  switch (word) {
    case 'written':
      return { ok: true };
    case 'higher':
      return { ok: false, why: 'higher', fence: Number(first) };
    case 'equal':
      return { ok: false, why: 'equal-other-token', fence: Number(first) };
    case 'newer':
      return { ok: false, why: 'newer', number: Number(first) };
    case 'realm':
      return { ok: false, why: 'other-realm', realm: first, renewedSecondsAgo: Number(second) };
    case 'busy':
      throw failure(
        'lock-busy',
        node,
        'a command of an older process still runs and did not end in time',
        `See what it is on ${node}: ps -ef | grep guard.sh`,
        result,
      );
    case 'no-flock':
      throw fail('it has no flock', 'Install util-linux, or put flock on the PATH of a non-interactive login.');
    case 'no-timeout':
      throw fail('it has no timeout', 'Install coreutils, or put timeout on the PATH of a non-interactive login.');
    case 'unwritable':
      throw fail(
        `its state folder ${state} can't be written or run from`,
        `Look at it on ${node}: ls -ld ${state}; df -h ${state}. Or set another folder in paths.state.`,
      );
    case 'unreadable':
      throw fail(
        `its file ${state}/fence is damaged`,
        `If no sparkops works on ${node} now, remove the file: rm ${state}/fence`,
      );
    default:
      throw fail('the fence could not be raised', `Does a plain command work there? Try: ssh ${node} true`);
  }
}

function failure(code: ErrorCode, node: string, what: string, hint: string, result: ExecResult): OperatorError {
  const lines = `${result.stdout}\n${result.stderr}`.split('\n').filter((line) => line.trim() !== '');
  return new OperatorError(code, `${node}: ${what}`, { hint, lines: lines.slice(-15), node });
}
