import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { statusAnswer } from '../cards/status-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { called } from './deploy.ts';

export function statusCommand(jobs: Pick<Jobs, 'status' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'status',
    summary: 'What serves where, looked at now; worst first',
    permission: 'viewer',
    input: z.object({ cluster: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    run: async ({ input, channel }) => {
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const clusters = await jobs.status({ ...(cluster === undefined ? {} : { cluster }), channel });
      return { message: statusAnswer(clusters, now()) };
    },
  });
}
