import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, cardChannel, SURFACE, type Places } from '../places.ts';
import { called } from './names.ts';

export function stopCommand(jobs: Pick<Jobs, 'stop' | 'clusters' | 'view'>, places: Places): ChatCommand {
  return defineCommand({
    name: 'stop',
    summary: 'Stop what serves on a cluster',
    right: 'operator',
    not: 'Not stopped',
    input: z.object({ cluster: z.string().optional() }),
    positional: ['cluster'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel }) => {
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      await places.canPost(channel);
      const record = await jobs.stop({
        ...(cluster === undefined ? {} : { cluster }),
        by: asker,
        surface: SURFACE,
        channel,
        view: askedIn(channel, asker),
      });
      const card = await cardChannel(jobs, record.uid, channel);
      return { message: acceptedAnswer('Stopping', record, { card, asked: channel }), about: record };
    },
  });
}
