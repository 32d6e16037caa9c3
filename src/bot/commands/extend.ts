import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { dayTime, said } from '../cards/mrkdwn.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { readUntil } from '../when.ts';
import { Span } from './hold-words.ts';
import { DeploymentNumber } from './number.ts';

export function extendCommand(jobs: Pick<Jobs, 'extend'>, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'extend',
    summary: 'Say how long your model is needed: until then it is not replaced without approval',
    right: 'operator',
    people: 'its owner',
    not: 'Not extended',
    input: z.object({ number: DeploymentNumber, until: z.string().optional(), for: Span.optional() }),
    positional: ['number'],
    words: { until: 'until', for: 'for' },
    run: async ({ input, asker, zone }) => {
      const until = endOf(input, now(), await zone());
      const record = await jobs.extend({ number: input.number, until, by: asker });
      const what = `${said(record.recipe, 60)} (#${record.number}) on ${said(record.cluster, 40)}`;
      const text = `${what} is needed until ${dayTime(until)}. Afterwards it may be replaced without approval.`;
      return { message: plainAnswer([text]), about: record };
    },
  });
}

function endOf(
  { until, for: span }: { until?: string | undefined; for?: number | undefined },
  now: Date,
  zone: string,
): string {
  if (until !== undefined && span === undefined) return readUntil(until, now, zone);
  if (span !== undefined && until === undefined) return new Date(now.getTime() + span).toISOString();
  throw new OperatorError('usage', 'Until when?', { hint: 'Type until 18:00, or for 2h.' });
}
