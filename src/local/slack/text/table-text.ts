import type { DataTableBlock, TableBlock } from '@slack/types';
import type { Reader } from './reader.ts';
import { richTextLines } from './rich-text.ts';

/** Columns as wide as their widest cell, two spaces between them. */
export function tableLines(block: TableBlock | DataTableBlock, reader: Reader): string[] {
  const rows = block.rows.map((row) => row.map((cell) => cellText(cell, reader)));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  const alignments = block.type === 'table' ? (block.column_settings ?? []).map((column) => column?.align) : [];
  return rows.map((row) =>
    row
      .map((text, column) =>
        alignments[column] === 'right' ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function cellText(cell: TableBlock['rows'][number][number], reader: Reader): string {
  return cell.type === 'rich_text' ? richTextLines(cell, reader).join(' ') : cell.text;
}
