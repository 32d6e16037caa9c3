import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { logsAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { Age } from './history.ts';
import { whereOf } from './names.ts';
import { DeploymentNumber, LineCount } from './number.ts';

export function logsCommand(jobs: Pick<Jobs, 'logs' | 'clusters'>): ChatCommand {
  return defineCommand({
    name: 'logs',
    summary: 'The last lines of an engine or a container; grep takes plain text',
    right: 'viewer',
    input: z.object({
      'number|node': z.string().optional(),
      cluster: z.string().optional(),
      node: z.string().optional(),
      since: Age.optional(),
      grep: z.string().max(200, 'grep takes at most 200 characters.').optional(),
      lines: LineCount.prefault('30'),
    }),
    positional: ['number|node'],
    words: { on: 'cluster', node: 'node', since: 'since', grep: 'grep', lines: 'lines' },
    run: async ({ input, channel }) => {
      const { lines, since, grep } = input;
      const { number, node = input.node } = whose(input['number|node']);
      const excerpt = await jobs.logs({
        ...(await whereOf(jobs, input.cluster, channel)),
        ...(number === undefined ? {} : { number }),
        ...(node === undefined ? {} : { node }),
        ...(since === undefined ? {} : { sinceMs: since }),
        ...(grep === undefined ? {} : { grep }),
        lines,
      });
      return { message: logsAnswer(excerpt) };
    },
  });
}

/** `142`, or `worker`, `head`, or a node's name. */
function whose(word: string | undefined): { number?: number; node?: string } {
  if (word === undefined) return {};
  if (/^[a-z]/i.test(word)) return { node: word.toLowerCase() };
  const number = DeploymentNumber.safeParse(word);
  if (number.success) return { number: number.data };
  throw new OperatorError('usage', "That is neither a deployment's number, such as 142, nor a node.", {
    hint: 'For example: logs 142, logs worker, logs node spark2.',
  });
}
