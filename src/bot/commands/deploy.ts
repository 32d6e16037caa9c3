import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { deployForm } from '../cards/deploy-form.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE, type Places } from '../places.ts';
import { readUntil } from '../when.ts';
import { beforeIt } from './before-it.ts';
import { FORCE_WORDS, forcedBy, forceFields } from './forced.ts';
import { recipeCalled, whereOf } from './names.ts';

const Note = z.string().max(200, 'A note has at most 200 characters.');

export function deployCommand(
  jobs: Pick<Jobs, 'deploy' | 'recipes' | 'clusters' | 'overview'>,
  places: Places,
  now: () => Date,
): ChatCommand {
  return defineCommand({
    name: 'deploy',
    summary: 'Serve a recipe on a cluster; alone it opens a form',
    right: 'operator',
    approval: 'if a model serves',
    not: 'Not started',
    input: z.object({
      recipe: z.string(),
      cluster: z.string().optional(),
      until: z.string().optional(),
      note: Note.optional(),
      ...forceFields,
    }),
    positional: ['recipe'],
    words: { on: 'cluster', until: 'until', note: 'note', ...FORCE_WORDS },
    overrides: true,
    tail: 'reason',
    form: async ({ channel }) => deployForm(await jobs.overview(), await jobs.recipes(), channel),
    run: async ({ input, overrides, asker, channel, zone, right }) => {
      const forced = forcedBy(input, { right });
      const recipe = await recipeCalled(jobs, input.recipe);
      const where = await whereOf(jobs, input.cluster, channel);
      const until = input.until === undefined ? undefined : readUntil(input.until, now(), await zone());
      await places.canPost(channel);
      const record = await jobs.deploy({
        recipe,
        ...where,
        overrides,
        ...(until !== undefined && { until }),
        ...(input.note !== undefined && { note: input.note }),
        ...forced,
        by: asker,
        surface: SURFACE,
        view: askedIn(channel, asker),
      });
      const more = await beforeIt(jobs, record, { asker, now: now() });
      return { message: acceptedAnswer('Deploying', record, { card: channel, asked: channel, more }), about: record };
    },
  });
}
