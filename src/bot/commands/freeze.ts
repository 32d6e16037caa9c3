import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { heldMessage, releasedMessage } from '../cards/hold-card.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { endOf, Reason, Span } from './hold-words.ts';

export function freezeCommand(jobs: Pick<Jobs, 'freeze' | 'holds'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'freeze',
    summary: 'Hold all clusters, for everybody: nothing is deployed, stopped or rolled back',
    right: 'admin',
    not: 'Not frozen',
    input: z.object({
      reason: Reason.optional(),
      until: z.string().optional(),
      for: Span.optional(),
      extend: Span.optional(),
    }),
    positional: ['reason'],
    words: { until: 'until', for: 'for', extend: 'extend', reason: 'reason' },
    tail: 'reason',
    run: async ({ input, asker, channel, zone }) => {
      const { endsAt } = await jobs.holds();
      const held = await jobs.freeze({
        channel,
        by: asker,
        ...(input.reason !== undefined && { reason: input.reason }),
        ...endOf(input, { endsAt, now: now(), zone: await zone() }),
      });
      return { message: heldMessage(held), share: true };
    },
  });
}

export function unfreezeCommand(jobs: Pick<Jobs, 'unfreeze'>): ChatCommand {
  return defineCommand({
    name: 'unfreeze',
    summary: 'End the freeze; whoever put it up is told',
    right: 'admin',
    not: 'Not unfrozen',
    input: z.object({}),
    run: async ({ asker, channel }) => {
      const held = await jobs.unfreeze({ channel, by: asker, overrule: true });
      return { message: releasedMessage(held, asker), share: true };
    },
  });
}
