import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { OperatorError } from '../../errors.ts';
import { historyAnswer } from '../cards/history-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { saidBack } from '../said-back.ts';
import { readAge } from '../when.ts';
import { LineCount } from './number.ts';
import { called } from './names.ts';

export function historyCommand(jobs: Pick<Jobs, 'history' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'history',
    summary: 'Past deployments, newest first',
    right: 'viewer',
    input: z.object({
      cluster: z.string().optional(),
      by: z.string().optional(),
      since: Age.optional(),
      lines: LineCount.prefault('15'),
    }),
    positional: ['cluster'],
    words: { on: 'cluster', by: 'by', since: 'since', lines: 'lines' },
    run: async ({ input, asker }) => {
      const { by, since, lines } = input;
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const records = await jobs.history({
        ...(cluster !== undefined && { cluster }),
        ...(by !== undefined && { by: by.toLowerCase() === 'me' ? asker.user : userIn(by) }),
        ...(since !== undefined && { since: new Date(now().getTime() - since).toISOString() }),
        limit: lines,
      });
      return { message: historyAnswer(records, lines) };
    },
  });
}

export const Age = z.string().transform((text, context) => {
  const age = readAge(text);
  if (age !== undefined) return age;
  context.addIssue({ code: 'custom', message: 'since takes an age such as 5m, 2h or 7d.' });
  return z.NEVER;
});

function userIn(text: string): string {
  const [, user] = /^@?([UW][A-Z0-9]+)$/.exec(text) ?? [];
  if (user !== undefined) return user;
  throw new OperatorError('usage', `I don't know who "${saidBack(text)}" is.`, {
    hint: 'Mention the person: by @Maya. Or type: by me.',
  });
}
