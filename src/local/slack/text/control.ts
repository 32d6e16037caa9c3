/** What stands between `<` and `>` in Slack's markup. */
export type Control =
  | { kind: 'user' | 'channel' | 'group' | 'everyone'; id: string; label: string | undefined }
  | { kind: 'date'; seconds: number; format: string; url: string | undefined; label: string | undefined }
  | { kind: 'link'; url: string; label: string | undefined };

export function readControl(inside: string): Control {
  const bar = inside.indexOf('|');
  const head = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? undefined : inside.slice(bar + 1);
  if (head.startsWith('@')) return { kind: 'user', id: head.slice(1), label };
  if (head.startsWith('#')) return { kind: 'channel', id: head.slice(1), label };
  if (head.startsWith('!subteam^')) return { kind: 'group', id: head.slice('!subteam^'.length), label };
  if (head.startsWith('!date^')) {
    const [, seconds = '', format = '', url] = head.split('^');
    return { kind: 'date', seconds: Number(seconds), format, url, label };
  }
  if (head.startsWith('!')) return { kind: 'everyone', id: head.slice(1), label };
  return { kind: 'link', url: unescapeText(head), label };
}

/** Slack's three entities, undone. */
export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export const CONTROL = /<([^<>\n]+)>/g;

/** The marks of bold, italic and strike bind only at the edge of a word, and never across a line. */
export function markPattern(mark: '*' | '_' | '~'): RegExp {
  const escaped = mark === '*' ? '\\*' : mark;
  const edge = '[^\\p{L}\\p{N}]';
  return new RegExp(
    `(^|${edge})${escaped}(?=[^\\s${escaped}])([^\\n${escaped}]*[^\\s${escaped}]|[^\\s${escaped}])${escaped}(?=$|${edge})`,
    'gmu',
  );
}
