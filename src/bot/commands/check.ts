import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { checkAnswer } from '../cards/look-answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { recipeCalled, whereOf } from './names.ts';

export function checkCommand(jobs: Pick<Jobs, 'check' | 'recipes' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'check',
    summary: 'Whether a recipe could start now: the checks of a deploy, changing nothing',
    right: 'viewer',
    input: z.object({ recipe: z.string().optional(), cluster: z.string().optional() }),
    positional: ['recipe'],
    words: { on: 'cluster' },
    run: async ({ input, channel }) => {
      const recipe = input.recipe === undefined ? undefined : await recipeCalled(jobs, input.recipe);
      const where = await whereOf(jobs, input.cluster, channel);
      return { message: checkAnswer(await jobs.check({ ...where, ...(recipe !== undefined && { recipe }) })) };
    },
  });
}
