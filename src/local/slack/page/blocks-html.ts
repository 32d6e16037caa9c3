import type {
  DataTableBlock,
  InputBlock,
  KnownBlock,
  SectionBlock,
  TableBlock,
  TaskCardBlock,
  TextObject,
} from '@slack/types';
import MarkdownIt from 'markdown-it';
import type { JsonObject } from '../json.ts';
import type { Person } from '../people.ts';
import type { Reader } from '../text/reader.ts';
import { stateOf, tasksOf } from '../text/task.ts';
import { elementHtml, labelledHtml } from './elements-html.ts';
import { escapeHtml, plainHtml } from './html.ts';
import { mrkdwnHtml } from './mrkdwn-html.ts';
import { richHtml } from './rich-html.ts';

const markdown = new MarkdownIt({ html: false, linkify: true });

export interface Scene {
  reader: Reader;
  people: readonly Person[];
  /** Field errors by block_id. */
  errors: Record<string, string>;
}

export function blocksHtml(blocks: readonly KnownBlock[], scene: Scene): string {
  return blocks
    .map((block) => {
      const id = escapeHtml(block.block_id ?? '');
      return `<div class="block ${escapeHtml(block.type)}" data-block="${id}">${blockHtml(block, scene)}</div>`;
    })
    .join('');
}

function blockHtml(block: KnownBlock, scene: Scene): string {
  const control = (element: object): string =>
    elementHtml(Object.assign<JsonObject, object>({}, element), scene.people);
  switch (block.type) {
    case 'header':
      return `<h3>${plainHtml(block.text.text)}</h3>`;
    case 'divider':
      return '<hr>';
    case 'context':
      return block.elements
        .map((element) => (element.type === 'image' ? control(element) : `<span>${textHtml(element, scene)}</span>`))
        .join(' ');
    case 'actions':
    case 'context_actions':
      return block.elements.map(control).join('');
    case 'section':
      return sectionHtml(block, scene, control);
    case 'plan':
      return `<h4>${plainHtml(block.title)}</h4><ol>${tasksOf(block)
        .map((task) => `<li>${taskHtml(task, scene)}</li>`)
        .join('')}</ol>`;
    case 'task_card':
      return taskHtml(block, scene);
    case 'rich_text':
      return richHtml(block, scene.reader);
    case 'markdown':
      return markdown.render(block.text);
    case 'table':
    case 'data_table':
      return tableHtml(block, scene);
    case 'image':
      return 'image_url' in block
        ? `<img src="${escapeHtml(block.image_url)}" alt="${escapeHtml(block.alt_text)}">`
        : escapeHtml(block.alt_text);
    case 'input':
      return inputHtml(block, scene);
    case 'alert':
      return `<div role="note"><b>${escapeHtml(block.level ?? 'note')}</b> ${textHtml(block.text, scene)}</div>`;
    case 'container':
      return `${block.title ? `<h4>${plainHtml(block.title.text)}</h4>` : ''}${blocksHtml(block.child_blocks, scene)}`;
    case 'card':
    case 'carousel':
    case 'file':
    case 'video':
      return `<span class="unknown">[${escapeHtml(block.type)}]</span>`;
  }
}

function inputHtml(block: InputBlock, scene: Scene): string {
  const id = block.block_id ?? '';
  const error = scene.errors[id];
  const errorId = escapeHtml(`error-${id}`);
  const wrong = error === undefined ? '' : `<p class="error" id="${errorId}" role="alert">${escapeHtml(error)}</p>`;
  const optional = block.optional ? ' <small>(optional)</small>' : '';
  const label = `<b>${plainHtml(block.label.text)}</b>${optional}`;
  const element = Object.assign<JsonObject, object>({}, block.element);
  const control = labelledHtml(element, scene.people, error === undefined ? undefined : errorId);
  const hint = block.hint ? `<small>${plainHtml(block.hint.text)}</small>` : '';
  const isGroup = block.element.type === 'checkboxes' || block.element.type === 'radio_buttons';
  const whole = isGroup
    ? `<fieldset><legend>${label}</legend>${control}</fieldset>`
    : `<label>${label}${control}</label>`;
  return `${whole}${hint}${wrong}`;
}

function sectionHtml(block: SectionBlock, scene: Scene, control: (element: object) => string): string {
  const text = block.text ? textHtml(block.text, scene) : '';
  const fields = (block.fields ?? []).map((field) => `<div>${textHtml(field, scene)}</div>`).join('');
  const grid = fields === '' ? '' : `<div class="fields">${fields}</div>`;
  return `<div>${text}${grid}</div>${block.accessory ? `<div>${control(block.accessory)}</div>` : ''}`;
}

function taskHtml(task: TaskCardBlock, { reader }: Scene): string {
  const { shape, word } = stateOf(task);
  const said = word === undefined ? '' : `<span class="word">, ${word}</span>`;
  const details = task.details ? `<div class="details">${richHtml(task.details, reader)}</div>` : '';
  const output = task.output ? `<div class="details">${richHtml(task.output, reader)}</div>` : '';
  return (
    `<div class="task ${escapeHtml(task.status)}"><span class="shape" aria-hidden="true">${shape}</span>` +
    `<div>${plainHtml(task.title)}${said}${details}${output}</div></div>`
  );
}

function tableHtml(block: TableBlock | DataTableBlock, { reader }: Scene): string {
  const rows = block.rows.map((row, index) => {
    const tag = index === 0 ? 'th' : 'td';
    const cells = row.map((cell) => (cell.type === 'rich_text' ? richHtml(cell, reader) : escapeHtml(cell.text)));
    return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function textHtml(text: TextObject, { reader }: Scene): string {
  return text.type === 'mrkdwn' ? mrkdwnHtml(text.text, reader) : plainHtml(text.text);
}
