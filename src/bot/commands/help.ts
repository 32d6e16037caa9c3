import { z } from 'zod';
import { listed } from '../../config/nearest.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { said } from '../cards/mrkdwn.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { usage } from '../grammar.ts';
import { whichCommand } from '../parse.ts';

/** Derived from the commands; shows what the asker may do. */
export function helpCommand(others: readonly ChatCommand[], jobs: Pick<Jobs, 'recipes' | 'clusters'>): ChatCommand {
  const self: ChatCommand = defineCommand({
    name: 'help',
    summary: 'This text',
    permission: 'viewer',
    input: z.object({ command: z.string().optional() }),
    positional: ['command'],
    run: async ({ input, mayChange }) => {
      const all = [...others, self];
      if (input.command !== undefined)
        return { message: plainAnswer(aboutOne(whichCommand(all, input.command), mayChange)) };
      const allowed = all.filter((command) => mayChange || command.permission === 'viewer');
      const [recipes, clusters] = await Promise.all([jobs.recipes(), jobs.clusters()]);
      return {
        message: plainAnswer([
          mayChange ? 'You may look and change:' : 'You may look; operators may also change something:',
          ...allowed.map((command) => `\`${usage(command)}\`  ${command.summary}`),
          `Recipes: ${said(listed(recipes.map(({ name }) => name)) || 'none')}. Clusters: ${said(listed(clusters) || 'none')}.`,
        ]),
      };
    },
  });
  return self;
}

function aboutOne(command: ChatCommand, mayChange: boolean): readonly string[] {
  return [
    `\`${usage(command)}\``,
    `${command.summary}.`,
    ...(command.permission === 'operator' && !mayChange ? ['Only operators may do it.'] : []),
  ];
}
