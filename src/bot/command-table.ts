import type { ChatCommand } from './command.ts';
import { usage } from './grammar.ts';

/** The commands as a table of Markdown, as the formatter leaves it. */
export function commandTable(commands: readonly ChatCommand[]): string {
  const rows = [
    ['command', 'what it does', 'who'],
    ...commands.map((command) => [
      `\`${usage(command)}\``,
      command.summary,
      command.permission === 'operator' ? 'operators' : 'everyone',
    ]),
  ].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const BEGIN = '<!-- commands, written by scripts/command-table.ts -->';
const END = '<!-- end of commands -->';

/** The text with the table between its marks. */
export function withCommandTable(text: string, table: string): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`The marks are missing: ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
