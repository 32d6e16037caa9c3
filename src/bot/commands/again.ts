import { z } from 'zod';
import type { Deployment } from '../../jobs/deployment.ts';
import type { AgainRequest, Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE, type Places } from '../places.ts';
import { beforeIt } from './before-it.ts';
import { FORCE_WORDS, forcedBy, forceFields } from './forced.ts';
import { whereOf } from './names.ts';
import { DeploymentNumber } from './number.ts';

interface Again {
  name: 'restart' | 'rollback';
  summary: string;
  approval: string;
  not: string;
  /** "Restarting". */
  doing: string;
  start: (request: AgainRequest) => Promise<Deployment>;
}

/** What served once, once more: by its number, or by cluster. */
export function againCommand(
  jobs: Pick<Jobs, 'clusters' | 'overview'>,
  { start, doing, ...about }: Again,
  { places, now }: { places: Places; now: () => Date },
): ChatCommand {
  return defineCommand({
    ...about,
    right: 'operator',
    input: z.object({ 'number|cluster': z.string().optional(), cluster: z.string().optional(), ...forceFields }),
    positional: ['number|cluster'],
    words: { on: 'cluster', ...FORCE_WORDS },
    tail: 'reason',
    run: async ({ input, asker, channel, right }) => {
      const word = input['number|cluster'];
      const number = DeploymentNumber.safeParse(word).data;
      const cluster = input.cluster ?? (number === undefined ? word : undefined);
      const forced = forcedBy(input, { right });
      await places.canPost(channel);
      const record = await start({
        ...(await whereOf(jobs, cluster, channel)),
        ...(number !== undefined && { number }),
        ...forced,
        by: asker,
        surface: SURFACE,
        view: askedIn(channel, asker),
      });
      const more = await beforeIt(jobs, record, { asker, now: now() });
      return { message: acceptedAnswer(doing, record, { card: channel, asked: channel, more }), about: record };
    },
  });
}
