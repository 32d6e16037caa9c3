import { maskSecrets } from '../../mask.ts';

const ZERO_WIDTH_SPACE = '\u200b';

/** A sentence, a name or anything else from elsewhere, for a mrkdwn text: one line that can't mention, link or end a code block. */
export function said(text: string, max = 400): string {
  return escape(plain(text, max));
}

/** The same for a plain_text: one line, no secret, at most `max` characters. */
export function plain(text: string, max: number): string {
  return clip(visible(text).replace(/\s+/g, ' ').trim(), max);
}

/** Lines of a log or of a command's output: at most `count`, the last ones, each at most `width` characters. */
export function excerpt(lines: readonly string[], { count = 15, width = 500 } = {}): readonly string[] {
  return lines.slice(-count).map((line) => clip(visible(line).trimEnd(), width));
}

/** A code block for a mrkdwn text. */
export function codeBlock(lines: readonly string[]): string {
  return ['```', ...lines.map((line) => escape(line)), '```'].join('\n');
}

export function person(user: string): string {
  return /^[UW][A-Z0-9]+$/.test(user) ? `<@${user}>` : said(user, 40);
}

/** A time in the reader's zone. */
export function clockTime(iso: string): string {
  const at = new Date(iso);
  return `<!date^${Math.floor(at.getTime() / 1_000)}^{time}|${at.toISOString().slice(11, 16)} UTC>`;
}

/** A day and a time in the reader's zone. */
export function dayTime(iso: string): string {
  const at = new Date(iso);
  const fallback = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(at.getTime() / 1_000)}^{date_short_pretty} {time}|${fallback}>`;
}

/** Never ends inside an escape, a mention or a character, and closes a code block that it cuts. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = cutAt(text, max - 1);
  const inCodeBlock = (cut.match(/```/g)?.length ?? 0) % 2 === 1;
  return inCodeBlock ? `${cutAt(cut, max - 5)}…\n\`\`\`` : `${cut}…`;
}

function cutAt(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/(?:&[a-z]{0,3}|<[^<>\n]*|[\ud800-\udbff])$/, '')
    .trimEnd();
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`${ZERO_WIDTH_SPACE}\``);
}

// Secrets go before anything is cut: half of one would no longer be seen as one.
function visible(text: string): string {
  return maskSecrets(
    text
      // oxlint-disable-next-line no-control-regex -- terminal colours
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
      .replaceAll('\t', '  ')
      // oxlint-disable-next-line no-control-regex -- what else engines write, and what hides text
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, ''),
  );
}
