import { withEmoji } from '../text/emoji.ts';

/** Text made safe for content and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function plainHtml(text: string): string {
  return withEmoji(escapeHtml(text)).replaceAll('\n', '<br>');
}

/** Only addresses that can't run anything become links. */
export function linkHtml(url: string, content: string): string {
  if (!/^(https?:|mailto:)/i.test(url)) return content;
  return `<a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${content}</a>`;
}
