import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedOf, RequestId } from './asked.ts';
import { DeploymentNumber } from './number.ts';

export function withdrawCommand(jobs: Pick<Jobs, 'decide' | 'findByNumber'>): ChatCommand {
  return defineCommand({
    name: 'withdraw',
    summary: 'Take back your own request for approval',
    right: 'viewer',
    people: 'who asked for the approval',
    changes: true,
    not: 'Not withdrawn',
    input: z.object({ number: DeploymentNumber, request: RequestId.optional() }),
    positional: ['number'],
    words: { request: 'request' },
    run: async ({ input, asker }) => {
      const { number, request } = input;
      const { approval, what } = await askedOf(jobs, number);
      const record = await jobs.decide({
        number,
        id: request ?? approval.id,
        say: { kind: 'withdraw' },
        by: asker,
      });
      return { message: plainAnswer([`Withdrawn, #${number}: ${what}.`, 'Nothing was changed.']), about: record };
    },
  });
}
