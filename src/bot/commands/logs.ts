import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { logsAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { called } from './deploy.ts';
import { DeploymentNumber } from './number.ts';

const Lines = z
  .string()
  .regex(/^(?:[1-9]\d?|1\d\d|200)$/, 'lines is a number from 1 to 200.')
  .transform((text) => Number.parseInt(text, 10));

export function logsCommand(jobs: Pick<Jobs, 'logs' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'logs',
    summary: 'The last lines of an engine or a container',
    permission: 'viewer',
    input: z.object({
      number: DeploymentNumber.optional(),
      cluster: z.string().optional(),
      node: z.string().optional(),
      lines: Lines.prefault('30'),
    }),
    positional: ['number'],
    words: { on: 'cluster', node: 'node', lines: 'lines' },
    run: async ({ input, channel }) => {
      const { number, node, lines } = input;
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const excerpt = await jobs.logs({
        ...(number === undefined ? {} : { number }),
        ...(cluster === undefined ? {} : { cluster }),
        ...(node === undefined ? {} : { node }),
        channel,
        lines,
      });
      return { message: logsAnswer(excerpt) };
    },
  });
}
