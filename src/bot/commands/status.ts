import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { statusAnswer } from '../cards/status-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { called } from './names.ts';

export function statusCommand(jobs: Pick<Jobs, 'status' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'status',
    summary: 'What serves where, looked at now; worst first. share shows it to the channel',
    right: 'viewer',
    input: z.object({ cluster: z.string().optional(), share: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    flags: ['share'],
    run: async ({ input, asker, channel }) => {
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const clusters = await jobs.status({ ...(cluster === undefined ? {} : { cluster }), channel });
      const share = input.share !== undefined;
      const message = statusAnswer(clusters, now(), {
        ...(cluster !== undefined && { cluster }),
        ...(share && { sharedBy: asker.user }),
      });
      return { message, share };
    },
  });
}
