import { OperatorError } from '../../errors.ts';
import { run, type Command } from './command.ts';
import type { Transport } from './transport.ts';

/** Prints the highest deployment number that a raise has left on the node, or nothing. */
function numbersCommand(state: string): Command {
  const file = `${state}/number`;
  return { kind: 'join', by: '||', commands: [run('test', '!', '-e', file), run('cat', file)] };
}

/** 0 when the node has seen no deployment. */
export async function readHighestNumber(
  transport: Transport,
  node: string,
  state: string,
  options: { signal: AbortSignal; limitMs: number },
): Promise<number> {
  const { exitCode, stdout, stderr } = await transport.exec(node, numbersCommand(state), options);
  const text = stdout.trim();
  if (exitCode === 0 && /^\d*$/.test(text)) return Number(text);
  throw new OperatorError('command-failed', `${node}: ${state}/number can't be read`, {
    hint: 'The file holds the number of the last deployment, nothing else. Correct it by hand.',
    lines: [text, stderr.trim()].filter((line) => line !== ''),
    node,
  });
}
