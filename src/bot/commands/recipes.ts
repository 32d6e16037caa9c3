import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { recipesAnswer } from '../cards/lists.ts';
import { defineCommand, type ChatCommand } from '../command.ts';

export function recipesCommand(jobs: Pick<Jobs, 'recipes' | 'overview'>): ChatCommand {
  return defineCommand({
    name: 'recipes',
    summary: 'What can be served',
    right: 'viewer',
    input: z.object({}),
    run: async () => ({ message: recipesAnswer(await jobs.recipes(), await jobs.overview()) }),
  });
}
