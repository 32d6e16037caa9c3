import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { OperatorError } from '../../errors.ts';
import { historyAnswer } from '../cards/history-answer.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { saidBack } from '../said-back.ts';
import { readAge } from '../when.ts';
import { LineCount } from './number.ts';
import { called } from './names.ts';

export function historyCommand(jobs: Pick<Jobs, 'history' | 'decisions' | 'clusters'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'history',
    summary: 'Past deployments, and who decided what; newest first',
    right: 'viewer',
    input: z.object({
      cluster: z.string().optional(),
      by: z.string().optional(),
      since: Age.optional(),
      lines: LineCount.prefault('15'),
      page: Page.prefault('1'),
    }),
    positional: ['cluster'],
    words: { on: 'cluster', by: 'by', since: 'since', lines: 'lines', page: 'page' },
    run: async ({ input, asker, typed }) => {
      const { by, since, lines, page } = input;
      const cluster = input.cluster === undefined ? undefined : called('cluster', input.cluster, await jobs.clusters());
      const wanted = {
        ...(cluster !== undefined && { cluster }),
        ...(by !== undefined && { by: by.toLowerCase() === 'me' ? asker.user : userIn(by) }),
        ...(since !== undefined && { since: new Date(now().getTime() - since).toISOString() }),
        // One more than is shown, to know whether there is another page.
        limit: page * lines + 1,
      };
      const [records, decisions] = await Promise.all([jobs.history(wanted), jobs.decisions(wanted)]);
      const older = `${typed.replace(/ (?:--)?page[ =]\d+/i, '')} page ${page + 1}`;
      return { message: historyAnswer({ records, decisions, lines, page, older }) };
    },
  });
}

const Page = z
  .string()
  .regex(/^[1-9]\d?$/, 'page is a number from 1 to 99.')
  .transform((text) => Number.parseInt(text, 10));

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
