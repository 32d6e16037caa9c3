import { OperatorError } from '../../errors.ts';
import type { Exec } from './command.ts';
import { gripWords, type Grip } from './grip.ts';
import { programPath } from './programs.ts';
import type { ExecResult } from './transport.ts';

export interface GuardTimes {
  /** Waiting for the node's lock, in whole seconds. */
  lockSeconds: number;
  /** The command itself; 5 s later it is killed. */
  commandSeconds: number;
}

const TIMES: GuardTimes = { lockSeconds: 30, commandSeconds: 60 };

/** The command as it runs under the node's guard. Exit code 75: another process holds the fence; 76: the lock stayed busy. */
export function guarded(command: Exec, grip: Grip, state: string, times: GuardTimes = TIMES): Exec {
  const lock = ['flock', '-o', '-E', 76, '-w', times.lockSeconds, `${state}/lock`] as const;
  const guard = [programPath(state, 'guard.sh'), ...gripWords(grip), '--'];
  return { kind: 'exec', words: [...lock, ...guard, 'timeout', '-k', 5, times.commandSeconds, ...command.words] };
}

/** The result of a guarded command; throws 'stale-fence', 'lock-busy' or, when the guard itself could not run, 'command-failed'. */
export function passedGuard(node: string, result: ExecResult): ExecResult {
  const lines = result.stderr.trim().split('\n');
  switch (result.exitCode) {
    case 75:
      throw new OperatorError(
        'stale-fence',
        `${node}: a newer process holds the fence, so this one changes nothing there`,
        {
          hint: 'Nothing to do: the newer process goes on. The refusal stands in refused.log in the state folder of the node.',
          lines,
          node,
        },
      );
    case 76:
      throw new OperatorError('lock-busy', `${node}: another command still runs under the node's lock`, {
        hint: `See what it is on ${node}: ps -ef | grep guard.sh`,
        node,
      });
    // flock's own: 66 it can't open the lock, 69 it can't run the guard. 127: there is no flock.
    case 66:
    case 69:
    case 127:
      if (!/flock: /.test(lines[0] ?? '')) return result;
      throw new OperatorError('command-failed', `${node}: the guard in front of a command could not run`, {
        hint: `Were files of the state folder removed? The next deploy puts them back.`,
        lines,
        node,
      });
    default:
      return result;
  }
}
