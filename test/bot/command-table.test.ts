import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commandTable, withCommandTable } from '../../src/bot/command-table.ts';
import { allCommands } from '../../src/bot/commands/all.ts';
import { fakeJobs } from './support/fake-jobs.ts';

const commands = allCommands({ jobs: fakeJobs(), places: { canPost: async () => undefined }, now: () => new Date() });

test('the README has the table of the commands as they are', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(withCommandTable(readme, commandTable(commands)), 'run npx tsx scripts/command-table.ts').toBe(readme);
});

describe('the commands', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    '%s says what it does and who may',
    (_, command) => {
      expect(command.summary).toMatch(/^[A-Z]/);
      expect(['viewer', 'operator']).toContain(command.permission);
      expect(commandTable(commands)).toContain(`\`/spark ${command.name}`);
    },
  );
});
