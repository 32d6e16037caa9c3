import { noSuch } from '../../config/nearest.ts';
import { OperatorError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { SLASH } from '../grammar.ts';

/** The name as it is written in the configuration: a phone begins words with a capital. */
export function called(kind: string, word: string, names: readonly string[]): string {
  const found = names.find((name) => name === word) ?? names.find((name) => name.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  throw new OperatorError('unknown-name', noSuch(kind, word, names), {
    hint: names.length === 0 ? `No ${kind} is configured.` : `Type ${SLASH} help to see what there is.`,
  });
}

/** Where a command means: a cluster that was named, and the channel that may be bound to one. */
export async function whereOf(
  jobs: Pick<Jobs, 'clusters'>,
  cluster: string | undefined,
  channel: string,
): Promise<{ cluster?: string; channel: string }> {
  if (cluster === undefined) return { channel };
  return { channel, cluster: called('cluster', cluster, await jobs.clusters()) };
}

export async function recipeCalled(jobs: Pick<Jobs, 'recipes'>, word: string): Promise<string> {
  const recipes = await jobs.recipes();
  return called(
    'recipe',
    word,
    recipes.map(({ name }) => name),
  );
}
