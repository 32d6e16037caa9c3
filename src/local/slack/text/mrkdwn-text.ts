import { withEmoji } from './emoji.ts';
import { CONTROL, markPattern, readControl, unescapeText } from './control.ts';
import { formatDate } from './dates.ts';
import type { Reader } from './reader.ts';

// Private characters that stand for code while the rest is rewritten.
const OPEN = '\uE000';
const CLOSE = '\uE001';
const PRIVATE = new RegExp(`[${OPEN}${CLOSE}]`, 'g');
const HELD = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');

/** Slack's mrkdwn as a terminal shows it: names for mentions, clock times for dates, no marks. */
export function mrkdwnText(source: string, reader: Reader): string {
  const code: string[] = [];
  const keep = (text: string): string => `${OPEN}${code.push(unescapeText(text)) - 1}${CLOSE}`;
  let text = source
    .replace(PRIVATE, '')
    .replace(/```\n?([\s\S]+?)\n?```/g, (_all, inside: string) => keep(indented(inside)))
    .replace(/`([^`\n]+)`/g, (_all, inside: string) => keep(inside))
    .replace(CONTROL, (_all, inside: string) => keep(controlText(inside, reader)));
  for (const mark of ['*', '_', '~'] as const) text = text.replace(markPattern(mark), '$1$2');
  return unescapeText(withEmoji(text)).replace(HELD, (_all, index: string) => code[Number(index)] ?? '');
}

function controlText(inside: string, reader: Reader): string {
  const control = readControl(inside);
  switch (control.kind) {
    case 'user':
      return `@${control.label ?? reader.user(control.id)}`;
    case 'channel':
      return `#${control.label ?? reader.channel(control.id)}`;
    case 'group':
      return control.label ?? `@${reader.user(control.id)}`;
    case 'everyone':
      return `@${control.id}`;
    case 'date':
      return Number.isFinite(control.seconds)
        ? formatDate(control.seconds, control.format, reader)
        : (control.label ?? '');
    case 'link':
      return control.label === undefined || control.label === control.url
        ? control.url
        : `${control.label} (${control.url})`;
  }
}

function indented(lines: string): string {
  return lines
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
