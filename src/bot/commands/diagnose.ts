import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { diagnoseAnswer } from '../cards/diagnose-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { whereOf } from './names.ts';

export function diagnoseCommand(jobs: Pick<Jobs, 'diagnose' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'diagnose',
    summary: 'What runs now: processes, health, and the last errors of the log',
    right: 'viewer',
    input: z.object({ cluster: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    run: async ({ input, channel }) => ({
      message: diagnoseAnswer(await jobs.diagnose(await whereOf(jobs, input.cluster, channel)), now()),
    }),
  });
}
