import type { RichTextBlock, RichTextBlockElement, RichTextElement, RichTextSection } from '@slack/types';
import { withEmoji } from './emoji.ts';
import { formatDate } from './dates.ts';
import type { Reader } from './reader.ts';

export function richTextLines(block: RichTextBlock, reader: Reader): string[] {
  return block.elements.flatMap((element) => elementLines(element, reader));
}

function elementLines(element: RichTextBlockElement, reader: Reader): string[] {
  switch (element.type) {
    case 'rich_text_section':
      return inline(element.elements, reader).split('\n');
    case 'rich_text_list':
      return element.elements.map((item, index) => listItem(item, element, index, reader));
    case 'rich_text_quote':
      return inline(element.elements, reader)
        .split('\n')
        .map((line) => `> ${line}`);
    case 'rich_text_preformatted':
      return inline(element.elements, reader)
        .split('\n')
        .map((line) => `  ${line}`);
  }
}

function listItem(
  item: RichTextSection,
  list: { style: string; indent?: number },
  index: number,
  reader: Reader,
): string {
  const bullet = list.style === 'ordered' ? `${index + 1}.` : '-';
  return `${'  '.repeat(list.indent ?? 0)}${bullet} ${inline(item.elements, reader)}`;
}

function inline(elements: readonly RichTextElement[], reader: Reader): string {
  return elements
    .map((element) => words(element, reader))
    .join('')
    .replace(/\n$/, '');
}

function words(element: RichTextElement, reader: Reader): string {
  switch (element.type) {
    case 'text':
      return element.text;
    case 'link':
      return element.text === undefined || element.text === element.url
        ? element.url
        : `${element.text} (${element.url})`;
    case 'emoji':
      return withEmoji(`:${element.name}:`);
    case 'user':
      return `@${reader.user(element.user_id)}`;
    case 'channel':
      return `#${reader.channel(element.channel_id)}`;
    case 'broadcast':
      return `@${element.range}`;
    case 'date':
      return formatDate(element.timestamp, element.format, reader);
    case 'color':
      return element.value;
    case 'team':
      return element.team_id;
    case 'usergroup':
      return `@${element.usergroup_id}`;
  }
}
