import { withEmoji } from '../text/emoji.ts';
import { CONTROL, markPattern, readControl, unescapeText } from '../text/control.ts';
import { formatDate } from '../text/dates.ts';
import type { Reader } from '../text/reader.ts';
import { escapeText } from '../validate/as-stored.ts';
import { escapeHtml, linkHtml } from './html.ts';

// Private characters that stand for finished HTML while the rest is rewritten.
const OPEN = '\uE000';
const CLOSE = '\uE001';
const HELD = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g');
const TAGS = [
  ['*', 'b'],
  ['_', 'i'],
  ['~', 's'],
] as const;

/** Slack's mrkdwn as HTML: literal code, marks only at the edges of words, quotes by line. */
export function mrkdwnHtml(source: string, reader: Reader): string {
  const held: string[] = [];
  const hold = (html: string): string => `${OPEN}${held.push(html) - 1}${CLOSE}`;
  let text = escapeText(source.replace(new RegExp(`[${OPEN}${CLOSE}]`, 'g'), ''))
    .replace(/```\n?([\s\S]+?)\n?```/g, (_all, code: string) => hold(`<pre>${literal(code)}</pre>`))
    .replace(/`([^`\n]+)`/g, (_all, code: string) => hold(`<code>${literal(code)}</code>`))
    .replace(CONTROL, (_all, inside: string) => hold(controlHtml(inside, reader)));
  text = withEmoji(text);
  for (const [mark, tag] of TAGS) {
    text = text.replace(
      markPattern(mark),
      (_all, before: string, inside: string) => `${before}${hold(`<${tag}>`)}${inside}${hold(`</${tag}>`)}`,
    );
  }
  return withQuotes(text).replace(HELD, (_all, index: string) => held[Number(index)] ?? '');
}

/** `>` quotes its line, `>>>` everything after it. */
function withQuotes(text: string): string {
  const parts: string[] = [];
  let quote: string[] = [];
  let all = false;
  const close = (): void => {
    if (quote.length > 0) parts.push(`<blockquote>${quote.join('<br>')}</blockquote>`);
    quote = [];
  };
  for (const line of text.split('\n')) {
    const found = /^(&gt;&gt;&gt;|&gt;)\s?(.*)$/.exec(line);
    all ||= found?.[1] === '&gt;&gt;&gt;';
    if (found) quote.push(found[2] ?? '');
    else if (all) quote.push(line);
    else {
      close();
      parts.push(`<div>${line || '&nbsp;'}</div>`);
    }
  }
  close();
  return parts.join('');
}

function controlHtml(inside: string, reader: Reader): string {
  const control = readControl(inside);
  const label = control.kind === 'everyone' || control.label === undefined ? undefined : literal(control.label);
  switch (control.kind) {
    case 'user':
      return mention(`@${label ?? escapeHtml(reader.user(control.id))}`);
    case 'channel':
      return mention(`#${label ?? escapeHtml(reader.channel(control.id))}`);
    case 'group':
      return mention(label ?? `@${escapeHtml(reader.user(control.id))}`);
    case 'everyone':
      return mention(`@${escapeHtml(control.id)}`);
    case 'date': {
      if (!Number.isFinite(control.seconds)) return label ?? '';
      const time = `<time>${escapeHtml(formatDate(control.seconds, control.format, reader))}</time>`;
      return control.url === undefined ? time : linkHtml(unescapeText(control.url), time);
    }
    case 'link':
      return linkHtml(control.url, label ?? escapeHtml(control.url));
  }
}

function mention(html: string): string {
  return `<span class="mention">${html}</span>`;
}

function literal(text: string): string {
  return escapeHtml(unescapeText(text));
}
