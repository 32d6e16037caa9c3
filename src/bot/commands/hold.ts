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
      reason: Reason.optional(),
      until: z.string().optional(),
      for: Span.optional(),
      extend: Span.optional(),
    }),
    positional: ['cluster', 'reason'],
    words: { on: 'cluster', until: 'until', for: 'for', extend: 'extend', reason: 'reason' },
    tail: 'reason',
    run: async ({ input, asker, channel, zone }) => {
      // No cluster's name has a blank: `hold "eval run"`, in the cluster's channel.
      const bare = input.cluster !== undefined && /\s/.test(input.cluster);
      const { cluster } = await whereOf(jobs, bare ? undefined : input.cluster, channel);
      const reason = input.reason ?? (bare ? input.cluster : undefined);
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
