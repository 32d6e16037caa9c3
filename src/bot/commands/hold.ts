import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { heldMessage } from '../cards/hold-card.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { endOf, Reason, Span } from './hold-words.ts';
import { whereOf } from './names.ts';

export function holdCommand(jobs: Pick<Jobs, 'hold' | 'holds' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'hold',
    summary: 'Keep others from replacing or stopping what is on a cluster, for a while; yours alone to change',
    right: 'operator',
    not: 'Not held',
    input: z.object({
      cluster: z.string().optional(),
      on: z.string().optional(),
      reason: Reason.optional(),
      until: z.string().optional(),
      for: Span.optional(),
      extend: Span.optional(),
    }),
    positional: ['cluster', 'reason'],
    words: { on: 'on', until: 'until', for: 'for', extend: 'extend', reason: 'reason' },
    tail: 'reason',
    run: async ({ input, asker, channel, zone }) => {
      // `hold "eval run"`, in the cluster's channel or on a named one: no cluster's name has a blank.
      const bare = input.on !== undefined || /\s/.test(input.cluster ?? '');
      const { cluster } = await whereOf(jobs, bare ? input.on : input.cluster, channel);
      const own = [bare ? input.cluster : undefined, input.reason].filter((text) => text !== undefined);
      const reason = own.length === 0 ? undefined : own.join(' ').slice(0, 200);
      const { endsAt } = await jobs.holds();
      const held = await jobs.hold({
        ...(cluster !== undefined && { cluster }),
        channel,
        by: asker,
        ...(reason !== undefined && { reason }),
        ...endOf(input, { endsAt, now: now(), zone: await zone() }),
      });
      return { message: heldMessage(held), share: true, ...(held.cluster !== undefined && { cluster: held.cluster }) };
    },
  });
}
