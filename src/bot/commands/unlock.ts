import { z } from 'zod';
import { includes } from '../../config/rights.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { releasedMessage } from '../cards/hold-card.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { whereOf } from './names.ts';

export function unlockCommand(jobs: Pick<Jobs, 'unlock' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'unlock',
    summary: "End a hold: one's own, or anybody's as an approver, who is then told; not while a job runs",
    right: 'operator',
    not: 'Not unlocked',
    input: z.object({ cluster: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel, right }) => {
      const where = await whereOf(jobs, input.cluster, channel);
      const held = await jobs.unlock({ ...where, by: asker, overrule: includes(right, 'approver') });
      return {
        message: releasedMessage(held, asker),
        share: true,
        ...(held.cluster !== undefined && { cluster: held.cluster }),
      };
    },
  });
}
