import { z } from 'zod';
import { noSuch } from '../../config/nearest.ts';
import { OperatorError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { SLASH } from '../grammar.ts';
import { askedIn, SURFACE, type Places } from '../places.ts';

export function deployCommand(jobs: Pick<Jobs, 'deploy' | 'recipes' | 'clusters'>, places: Places): ChatCommand {
  return defineCommand({
    name: 'deploy',
    summary: 'Serve a recipe on a cluster',
    permission: 'operator',
    not: 'Not started',
    input: z.object({ recipe: z.string(), cluster: z.string().optional() }),
    positional: ['recipe'],
    words: { on: 'cluster' },
    overrides: true,
    run: async ({ input, overrides, asker, channel }) => {
      const recipes = await jobs.recipes();
      const recipe = called(
        'recipe',
        input.recipe,
        recipes.map(({ name }) => name),
      );
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      await places.canPost(channel);
      const record = await jobs.deploy({
        recipe,
        ...(cluster === undefined ? {} : { cluster }),
        overrides,
        by: asker,
        surface: SURFACE,
        channel,
        view: askedIn(channel, asker),
      });
      return { message: acceptedAnswer('Deploying', record, { card: channel, asked: channel }), about: record };
    },
  });
}

/** The name as it is written in the configuration: a phone begins words with a capital. */
export function called(kind: string, word: string, names: readonly string[]): string {
  const found = names.find((name) => name === word) ?? names.find((name) => name.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  throw new OperatorError('unknown-name', noSuch(kind, word, names), {
    hint: names.length === 0 ? `No ${kind} is configured.` : `Type ${SLASH} help to see what there is.`,
  });
}
