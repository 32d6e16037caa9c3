import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE } from '../places.ts';
import { called } from './names.ts';
import { DeploymentNumber } from './number.ts';

export function cancelCommand(jobs: Pick<Jobs, 'cancel' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'cancel',
    summary: 'Cancel a running deploy and remove what it started',
    right: 'operator',
    not: 'Not cancelled',
    input: z.object({ number: DeploymentNumber.optional(), cluster: z.string().optional() }),
    positional: ['number'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel }) => {
      const { number } = input;
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const record = await jobs.cancel({
        ...(number === undefined ? {} : { number }),
        ...(cluster === undefined ? {} : { cluster }),
        by: asker,
        surface: SURFACE,
        channel,
        view: askedIn(channel, asker),
      });
      const text = `Cancelling ${record.recipe} on ${record.cluster}, #${record.number}. Its card shows when all is removed.`;
      return { message: plainAnswer([text]), about: record };
    },
  });
}
