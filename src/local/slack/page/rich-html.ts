import type { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import { formatDate } from '../text/dates.ts';
import type { Reader } from '../text/reader.ts';
import { escapeHtml, linkHtml, plainHtml } from './html.ts';

export function richHtml(block: RichTextBlock, reader: Reader): string {
  return block.elements.map((element) => elementHtml(element, reader)).join('');
}

function elementHtml(element: RichTextBlockElement, reader: Reader): string {
  switch (element.type) {
    case 'rich_text_section':
      return `<div>${inline(element.elements, reader)}</div>`;
    case 'rich_text_preformatted':
      return `<pre>${inline(element.elements, reader)}</pre>`;
    case 'rich_text_quote':
      return `<blockquote>${inline(element.elements, reader)}</blockquote>`;
    case 'rich_text_list': {
      const tag = element.style === 'ordered' ? 'ol' : 'ul';
      const items = element.elements.map((item) => `<li>${inline(item.elements, reader)}</li>`).join('');
      return `<${tag} class="indent${Number(element.indent ?? 0)}">${items}</${tag}>`;
    }
  }
}

function inline(elements: readonly RichTextElement[], reader: Reader): string {
  return elements.map((element) => styled(partHtml(element, reader), element.style ?? {})).join('');
}

function partHtml(element: RichTextElement, reader: Reader): string {
  switch (element.type) {
    case 'text':
      return escapeHtml(element.text).replaceAll('\n', '<br>');
    case 'link':
      return linkHtml(element.url, escapeHtml(element.text ?? element.url));
    case 'emoji':
      return plainHtml(`:${element.name}:`);
    case 'user':
      return `<span class="mention">@${escapeHtml(reader.user(element.user_id))}</span>`;
    case 'channel':
      return `<span class="mention">#${escapeHtml(reader.channel(element.channel_id))}</span>`;
    case 'broadcast':
      return `<span class="mention">@${escapeHtml(element.range)}</span>`;
    case 'date':
      return `<time>${escapeHtml(formatDate(element.timestamp, element.format, reader))}</time>`;
    case 'color':
      return `<code>${escapeHtml(element.value)}</code>`;
    case 'team':
      return escapeHtml(element.team_id);
    case 'usergroup':
      return `<span class="mention">@${escapeHtml(element.usergroup_id)}</span>`;
  }
}

function styled(html: string, style: { code?: boolean; bold?: boolean; italic?: boolean; strike?: boolean }): string {
  const tags = [style.code && 'code', style.bold && 'b', style.italic && 'i', style.strike && 's'];
  return tags.reduce<string>((inner, tag) => (tag ? `<${tag}>${inner}</${tag}>` : inner), html);
}
