import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { clustersAnswer } from '../cards/lists.ts';
import { defineCommand, type ChatCommand } from '../command.ts';

export function clustersCommand(jobs: Pick<Jobs, 'overview'>): ChatCommand {
  return defineCommand({
    name: 'clusters',
    summary: 'The clusters, their nodes and channels, and what runs there by the record',
    right: 'viewer',
    input: z.object({}),
    run: async () => ({ message: clustersAnswer(await jobs.overview()) }),
  });
}
