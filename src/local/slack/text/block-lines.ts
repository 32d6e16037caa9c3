import type { KnownBlock, RichTextBlock, SectionBlock, TaskCardBlock, TextObject } from '@slack/types';
import { withEmoji } from './emoji.ts';
import { isObject, objectsIn, textIn, type JsonObject } from '../json.ts';
import { mrkdwnText } from './mrkdwn-text.ts';
import type { Reader } from './reader.ts';
import { richTextLines } from './rich-text.ts';
import { tableLines } from './table-text.ts';
import { stateOf, tasksOf } from './task.ts';

/** A block as lines for a terminal. */
export function blockLines(block: KnownBlock, reader: Reader): string[] {
  switch (block.type) {
    case 'header':
      return [withEmoji(block.text.text)];
    case 'section':
      return sectionLines(block, reader);
    case 'context':
      return [block.elements.map((element) => contextText(element, reader)).join('  ')];
    case 'actions':
    case 'context_actions':
      return [block.elements.map((element) => controlText({ ...element })).join(' ')];
    case 'divider':
      return ['─'.repeat(40)];
    case 'plan':
      return [withEmoji(block.title), ...tasksOf(block).flatMap((task) => taskLines(task, reader))];
    case 'task_card':
      return taskLines(block, reader);
    case 'rich_text':
      return richTextLines(block, reader);
    case 'markdown':
      return block.text.trimEnd().split('\n');
    case 'table':
    case 'data_table':
      return tableLines(block, reader);
    case 'image':
    case 'video':
      return [`[${block.type}: ${block.alt_text}]`];
    case 'alert':
      return [`${(block.level ?? 'note').toUpperCase()}: ${textOfObject(block.text, reader)}`];
    case 'input':
      return [`${withEmoji(block.label.text)}: ${controlText({ ...block.element })}`];
    case 'card':
      return [block.title, block.subtitle, block.body]
        .filter((text) => text !== undefined)
        .map((text) => textOfObject(text, reader));
    case 'carousel':
      return block.elements.flatMap((card) => blockLines(card, reader));
    case 'container':
      return [
        ...(block.title ? [withEmoji(block.title.text)] : []),
        ...block.child_blocks.flatMap((child) => blockLines(child, reader)),
      ];
    case 'file':
      return ['[file]'];
  }
}

function taskLines(task: TaskCardBlock, reader: Reader): string[] {
  const { shape, word } = stateOf(task);
  const more = [task.details, task.output].filter((part): part is RichTextBlock => part !== undefined);
  return [
    `  ${shape} ${withEmoji(task.title)}${word === undefined ? '' : `, ${word}`}`,
    ...more.flatMap((part) => richTextLines(part, reader)).map((line) => `      ${line}`.trimEnd()),
  ];
}

function sectionLines({ text, fields, accessory }: SectionBlock, reader: Reader): string[] {
  const lines = text ? textOfObject(text, reader).split('\n') : [];
  for (const field of fields ?? []) lines.push(...textOfObject(field, reader).split('\n'));
  if (accessory && accessory.type !== 'image') lines.push(controlText({ ...accessory }));
  return lines;
}

function contextText(element: TextObject | { type: 'image'; alt_text: string }, reader: Reader): string {
  return element.type === 'image' ? `[${element.alt_text}]` : textOfObject(element, reader);
}

/** A button as [Approve], a select as [Choose: a | b]. */
function controlText(element: JsonObject): string {
  const label = labelIn(element['text']) ?? labelIn(element['placeholder']) ?? textIn(element, 'type') ?? '';
  const options = objectsIn(element['options']).map((option) => labelIn(option['text']) ?? '');
  if (options.length > 0) return `[${label}: ${options.join(' | ')}]`;
  const url = textIn(element, 'url');
  return url === undefined ? `[${label}]` : `[${label}] ${url}`;
}

function labelIn(text: unknown): string | undefined {
  const label = isObject(text) ? textIn(text, 'text') : undefined;
  return label === undefined ? undefined : withEmoji(label);
}

function textOfObject(text: TextObject, reader: Reader): string {
  return text.type === 'mrkdwn' ? mrkdwnText(text.text, reader) : withEmoji(text.text);
}
