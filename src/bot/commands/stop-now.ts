import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { DeploymentNumber } from './number.ts';

export function stopNowCommand(jobs: Pick<Jobs, 'stopNow'>): ChatCommand {
  return defineCommand({
    name: 'stop-now',
    summary: 'Wait no longer for running requests of what is being stopped: they are cut off',
    right: 'operator',
    not: 'Not hurried',
    input: z.object({ number: DeploymentNumber }),
    positional: ['number'],
    run: async ({ input, asker }) => {
      const record = await jobs.stopNow({ number: input.number, by: asker });
      const text = `#${record.number} on ${record.cluster} waits for requests no longer. Its card shows when all is gone.`;
      return { message: plainAnswer([text]), about: record };
    },
  });
}
