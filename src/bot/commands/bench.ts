import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { benchAnswer } from '../cards/look-answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { whereOf } from './names.ts';

/** Operators alone: it takes the model's time from those who use it. */
export function benchCommand(jobs: Pick<Jobs, 'bench' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'bench',
    summary: 'Ask the model that serves three questions, and measure the answers',
    right: 'operator',
    input: z.object({ cluster: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    run: async ({ input, channel }) => {
      const answer = await jobs.bench(await whereOf(jobs, input.cluster, channel));
      return { message: benchAnswer(answer), about: answer.record };
    },
  });
}
