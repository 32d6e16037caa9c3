import type { ButtonKind } from './buttons.ts';
import type { ChatCommand } from './command.ts';
import { SLASH, usage } from './grammar.ts';

/** The commands as a table of Markdown, as the formatter leaves it. */
export function commandTable(commands: readonly ChatCommand[]): string {
  return table([
    ['command', 'what it does', 'who'],
    ...commands.map((command) => [`\`${usage(command)}\``, command.summary, command.people ?? command.right]),
  ]);
}

/** What each command and button needs, whether it asks for approval, and what the audit keeps. */
export function rightsTable(commands: readonly ChatCommand[], buttons: readonly ButtonKind[]): string {
  return table([
    ['what', 'right', 'asks for approval', 'audited'],
    ...commands.map((command) => [`\`${SLASH} ${command.name}\``, ...needs(command)]),
    ...buttons.map(({ label, twin, holds }) => {
      const command = commands.find(({ name }) => name === twin);
      if (twin !== undefined && !command) throw new Error(`No command is the twin of [${label}]: ${twin}`);
      if (!command) return [`[${label}]`, 'that of the command', 'as the command does', 'as of the command'];
      return [`[${label}] is \`${SLASH} ${command.name}${holds === 'uid' ? ' NUMBER' : ' ...'}\``, ...needs(command)];
    }),
  ]);
}

function needs({ right, people = right, approval = 'never', audited }: ChatCommand): readonly string[] {
  return [people, approval, audited];
}

function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const BEGIN = '<!-- commands, written by scripts/command-table.ts -->';
const END = '<!-- end of commands -->';

/** The text with the table between its marks. */
export function withCommandTable(text: string, written: string): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`The marks are missing: ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${written}\n\n${END}${after}`;
}
