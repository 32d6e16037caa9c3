import { z } from 'zod';
import type { Deployment } from '../../jobs/deployment.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { clockTime, person } from '../cards/mrkdwn.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE } from '../places.ts';
import { called } from './names.ts';
import { DeploymentNumber } from './number.ts';

export function cancelCommand(jobs: Pick<Jobs, 'cancel' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'cancel',
    summary: 'Cancel a running deploy and remove what it started',
    right: 'operator',
    approval: "if it is somebody else's and past the point of no return",
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
      return { message: plainAnswer(cancelLines(record)), about: record };
    },
  });
}

function cancelLines({ recipe, cluster, number, by, approval }: Deployment): readonly string[] {
  if (approval?.action === 'cancel' && !approval.decision) {
    return [
      `#${number} is ${person(by.user)}'s and past the point of no return, so I ask for approval to cancel it.`,
      `The request is in the channel, and ends ${clockTime(approval.until)}. Until then it goes on.`,
    ];
  }
  return [`Cancelling ${recipe} on ${cluster}, #${number}. Its card shows when all is removed.`];
}
