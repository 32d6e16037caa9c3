import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, cardChannel, SURFACE, type Places } from '../places.ts';
import { whereOf } from './names.ts';

export function stopForeignCommand(jobs: Pick<Jobs, 'stopForeign' | 'clusters' | 'view'>, places: Places): ChatCommand {
  return defineCommand({
    name: 'stop-foreign',
    summary: 'Ask to stop a container or GPU process that I did not start',
    right: 'operator',
    approval: 'always',
    not: 'Not stopped',
    input: z.object({ name: z.string(), cluster: z.string().optional() }),
    positional: ['name'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel }) => {
      const where = await whereOf(jobs, input.cluster, channel);
      await places.canPost(channel);
      const record = await jobs.stopForeign({
        ...where,
        names: [input.name],
        by: asker,
        surface: SURFACE,
        view: askedIn(channel, asker),
      });
      const card = await cardChannel(jobs, record.uid, channel);
      return { message: acceptedAnswer('Asking to stop', record, { card, asked: channel }), about: record };
    },
  });
}
