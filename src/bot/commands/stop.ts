import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, cardChannel, SURFACE, type Places } from '../places.ts';
import { beforeIt } from './before-it.ts';
import { FORCE_WORDS, forcedBy, forceFields } from './forced.ts';
import { called } from './names.ts';

export function stopCommand(
  jobs: Pick<Jobs, 'stop' | 'clusters' | 'view' | 'overview'>,
  places: Places,
  now: () => Date,
): ChatCommand {
  return defineCommand({
    name: 'stop',
    summary: 'Stop what serves on a cluster',
    right: 'operator',
    approval: 'if a model serves',
    not: 'Not stopped',
    input: z.object({ cluster: z.string().optional(), ...forceFields }),
    positional: ['cluster'],
    words: { on: 'cluster', ...FORCE_WORDS },
    tail: 'reason',
    run: async ({ input, asker, channel, right }) => {
      const forced = forcedBy(input, { right });
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      await places.canPost(channel);
      const record = await jobs.stop({
        ...(cluster === undefined ? {} : { cluster }),
        ...forced,
        by: asker,
        surface: SURFACE,
        channel,
        view: askedIn(channel, asker),
      });
      const card = await cardChannel(jobs, record.uid, channel);
      const more = await beforeIt(jobs, record, { asker, now: now() });
      return { message: acceptedAnswer('Stopping', record, { card, asked: channel, more }), about: record };
    },
  });
}
