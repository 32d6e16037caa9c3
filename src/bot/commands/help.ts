import { z } from 'zod';
import { listed } from '../../config/nearest.ts';
import { aRight, includes } from '../../config/rights.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { said } from '../cards/mrkdwn.ts';
import { defineCommand, type Caller, type ChatCommand } from '../command.ts';
import { usage } from '../grammar.ts';
import { whichCommand } from '../parse.ts';

/** Derived from the commands; shows what the asker may do. */
export function helpCommand(others: readonly ChatCommand[], jobs: Pick<Jobs, 'recipes' | 'clusters'>): ChatCommand {
  const self: ChatCommand = defineCommand({
    name: 'help',
    summary: 'This text',
    right: 'viewer',
    input: z.object({ command: z.string().optional() }),
    positional: ['command'],
    run: async ({ input, right }) => {
      const all = [...others, self];
      if (input.command !== undefined)
        return { message: plainAnswer(aboutOne(whichCommand(all, input.command), right)) };
      const allowed = all.filter((command) => includes(right, command.right));
      const [recipes, clusters] = await Promise.all([jobs.recipes(), jobs.clusters()]);
      return {
        message: plainAnswer([
          right === 'none' ? 'You may do nothing here.' : `As ${aRight(right)} you may:`,
          ...allowed.map((command) => `\`${usage(command)}\`  ${command.summary}`),
          `Recipes: ${said(listed(recipes.map(({ name }) => name)) || 'none')}. Clusters: ${said(listed(clusters) || 'none')}.`,
        ]),
      };
    },
  });
  return self;
}

function aboutOne(command: ChatCommand, right: Caller['right']): readonly string[] {
  return [
    `\`${usage(command)}\``,
    `${command.summary}.`,
    ...(command.approval === undefined ? [] : [`Asks for approval ${command.approval}.`]),
    ...(includes(right, command.right) ? [] : [`Only ${command.right}s may do it.`]),
  ];
}
