import { readFileSync, writeFileSync } from 'node:fs';
import { commandTable, withCommandTable } from '../src/bot/command-table.ts';
import { allCommands } from '../src/bot/commands/all.ts';
import type { Jobs } from '../src/jobs/jobs.ts';

// Rewrites the table of commands in README.md: npx tsx scripts/command-table.ts
const README = new URL('../README.md', import.meta.url);

// The commands are only read, never run.
const jobs = Object.create(null) as Jobs;
const commands = allCommands({ jobs, places: { canPost: async () => undefined }, now: () => new Date() });
writeFileSync(README, withCommandTable(readFileSync(README, 'utf8'), commandTable(commands)));
