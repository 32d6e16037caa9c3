import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { person, said } from '../cards/mrkdwn.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE } from '../places.ts';
import { whereOf } from './names.ts';

export function mineCommand(jobs: Pick<Jobs, 'mine' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'mine',
    summary: 'Say that a container or GPU process which I did not start is yours, so that people know whom to ask',
    right: 'operator',
    not: 'Not noted',
    input: z.object({ name: z.string(), cluster: z.string().optional() }),
    positional: ['name'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel }) => {
      const { cluster, claimed, before } = await jobs.mine({
        ...(await whereOf(jobs, input.cluster, channel)),
        name: input.name,
        by: asker,
        surface: SURFACE,
        view: askedIn(channel, asker),
      });
      const where = [...new Set(claimed.map(({ node }) => node))].join(' and ');
      const name = claimed[0]?.name ?? input.name;
      const until = before === undefined ? '' : ` ${person(before.user)} had said so before.`;
      const lines = [
        `${said(name, 60)} on ${said(where, 100)} is ${person(asker.user)}'s, they say.${until}`,
        `It is left alone, and still keeps deploys from ${said(cluster, 60)}.`,
      ];
      return { message: plainAnswer(lines), cluster, share: true };
    },
  });
}
