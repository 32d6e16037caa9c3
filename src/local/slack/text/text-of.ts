import type { Message } from '../message.ts';
import { blockLines } from './block-lines.ts';
import { mrkdwnText } from './mrkdwn-text.ts';
import type { Reader } from './reader.ts';

/** A message as a person would read it out: its blocks, or its text when it has none, as lines for a terminal. */
export function textOf(message: Message, reader: Reader): string {
  const lines = message.blocks
    ? message.blocks.flatMap((block) => blockLines(block, reader))
    : mrkdwnText(message.text, reader).split('\n');
  for (const file of message.files ?? []) lines.push(`[file: ${file.title}, ${bytes(file.size)}]`);
  return lines.join('\n').trim();
}

function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
