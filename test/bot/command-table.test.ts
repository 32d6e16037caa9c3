import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BUTTONS } from '../../src/bot/buttons.ts';
import { commandTable, rightsTable, withCommandTable } from '../../src/bot/command-table.ts';
import { allCommands } from '../../src/bot/commands/all.ts';
import { RIGHTS } from '../../src/config/rights.ts';
import { fakeJobs } from './support/fake-jobs.ts';

const commands = allCommands({ jobs: fakeJobs(), places: { canPost: async () => undefined }, now: () => new Date() });

test.each([
  ['README.md', commandTable(commands)],
  ['docs/commands.md', rightsTable(commands, BUTTONS)],
])('%s has the table of the commands as they are', (file, table) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(withCommandTable(text, table), 'run npx tsx scripts/command-table.ts').toBe(text);
});

test('docs/commands.md has a line for every command and every button: right, approval, what is audited', () => {
  const text = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
  expect(cells.slice(0, commands.length)).toEqual(
    commands.map(({ name, right, people, approval, audited }) => [
      `\`/spark ${name}\``,
      people ?? right,
      approval ?? 'never',
      audited,
    ]),
  );
  const buttons = cells.slice(commands.length);
  expect(buttons.map(([what]) => what?.replace(/\].*/, ']'))).toEqual(BUTTONS.map(({ label }) => `[${label}]`));
  expect(buttons.flat().filter((cell) => cell === '')).toEqual([]);
});

test('a button has the right of its twin, and one whose twin is no command can not be documented', () => {
  const table = rightsTable(commands, [{ action: 'x', label: 'X', twin: 'stop', holds: 'uid' }]);
  const stop = commands.find(({ name }) => name === 'stop');
  expect(table).toMatch(new RegExp(`\\[X\\] is \`/spark stop NUMBER\` +\\| ${stop?.right} `));
  expect(() => rightsTable(commands, [{ action: 'x', label: 'X', twin: 'explode', holds: 'uid' }])).toThrow('explode');
});

describe('the commands', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    '%s says what it does and who may',
    (_, command) => {
      expect(command.summary).toMatch(/^[A-Z]/);
      expect(RIGHTS).toContain(command.right);
      expect(command.audited).toContain('who, words, decision');
      expect(commandTable(commands)).toContain(`\`/spark ${command.name}`);
    },
  );
});
