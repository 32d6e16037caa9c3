import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { planAnswer } from '../cards/plan-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { recipeCalled, whereOf } from './names.ts';

export function planCommand(jobs: Pick<Jobs, 'plan' | 'recipes' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'plan',
    summary: 'What a deploy would run, without touching a node',
    right: 'viewer',
    input: z.object({ recipe: z.string(), cluster: z.string().optional() }),
    positional: ['recipe'],
    words: { on: 'cluster' },
    overrides: true,
    run: async ({ input, overrides, channel }) => {
      const recipe = await recipeCalled(jobs, input.recipe);
      const where = await whereOf(jobs, input.cluster, channel);
      return { message: planAnswer(await jobs.plan({ recipe, ...where, overrides })) };
    },
  });
}
