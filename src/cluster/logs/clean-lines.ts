import { withoutPrefixes } from './line-prefix.ts';
import { holdsUsersWords, promptGuard } from './without-prompts.ts';

/** A line of an engine's log without what the processes around it added. */
export interface CleanLine {
  text: string;
  /** Address of the node whose process wrote it; undefined: the node where the engine was started. */
  ip?: string;
}

const LINE_END = /\r\n|\n|\r/;
const DEDUPED = / \[repeated \d+x across cluster\]| \(Ray deduplicates logs by default\.[^)]*\)/g;
const MAX_LINE = 4_000;

/**
 * Takes a log in pieces, gives its whole lines: split at \r too (a progress bar is a chain of them), colours, prefix
 * chains and Ray's remarks on repeated lines removed, empty ones and what may hold words of users left out.
 */
export function lineCleaner(): (piece: string) => CleanLine[] {
  const keeps = promptGuard();
  let rest = '';
  let restHides = false;
  return (piece) => {
    const parts = (rest + piece).split(LINE_END);
    const last = parts.pop() ?? '';
    // Of a long line only the beginning is held, so what was seen in its middle is remembered.
    const lines = parts.flatMap((part, at) => (keeps(part, at === 0 && restHides) ? (clean(part) ?? []) : []));
    restHides = last.length > MAX_LINE && ((parts.length === 0 && restHides) || holdsUsersWords(last));
    rest = last.slice(0, MAX_LINE);
    return lines;
  };
}

function clean(raw: string): CleanLine | undefined {
  const { text: whole, ip } = withoutPrefixes(raw.slice(0, MAX_LINE));
  const text = whole.replace(DEDUPED, '').trimEnd();
  if (text.trim() === '') return undefined;
  return ip === undefined ? { text } : { text, ip };
}
