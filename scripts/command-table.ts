import { readFileSync, writeFileSync } from 'node:fs';
import { BUTTONS } from '../src/bot/buttons.ts';
import { commandTable, rightsTable, withCommandTable } from '../src/bot/command-table.ts';
import { allCommands } from '../src/bot/commands/all.ts';
import type { Jobs } from '../src/jobs/jobs.ts';

// Rewrites the tables of commands in README.md and docs/commands.md: npx tsx scripts/command-table.ts
const README = new URL('../README.md', import.meta.url);
const DOCS = new URL('../docs/commands.md', import.meta.url);

// The commands are only read, never run.
const jobs = Object.create(null) as Jobs;
const commands = allCommands({ jobs, places: { canPost: async () => undefined }, now: () => new Date() });
write(README, commandTable(commands));
write(DOCS, rightsTable(commands, BUTTONS));

function write(file: URL, table: string): void {
  writeFileSync(file, withCommandTable(readFileSync(file, 'utf8'), table));
}
