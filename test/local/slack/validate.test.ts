import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { generateBlockKitSchema } from '../../../scripts/generate-blockkit-schema.ts';
import { validateBlocks } from '../../../src/local/slack/validate/validate-blocks.ts';
import { isMetadata } from '../../../src/local/slack/validate/validate-metadata.ts';
import { validateView } from '../../../src/local/slack/validate/validate-view.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const marked = (text: string) => ({ type: 'mrkdwn', text });
const long = (length: number) => 'x'.repeat(length);
const button = (more: object = {}) => ({ type: 'button', action_id: 'a', text: plain('b'), ...more });
const actions = (...elements: object[]) => [{ type: 'actions', elements }];
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const task = (more: object = {}) => ({
  type: 'task_card',
  task_id: 'load',
  title: 'Load',
  status: 'in_progress',
  ...more,
});
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

test('the schema in assets is the one of the installed @slack/types', () => {
  const kept: unknown = JSON.parse(
    readFileSync(new URL('../../../assets/blockkit.schema.json', import.meta.url), 'utf8'),
  );
  expect(kept).toEqual(JSON.parse(JSON.stringify(generateBlockKitSchema())));
}, 15_000);

describe('taken', () => {
  const confirm = { title: plain('Stop it?'), text: marked('3 requests'), confirm: plain('Stop'), deny: plain('Back') };
  const cases: Record<string, object[]> = {
    'texts and buttons': [
      { type: 'header', text: plain('Deploy') },
      { type: 'section', text: marked('*qwen35*'), fields: [marked('a'), plain('b')], accessory: button() },
      {
        type: 'context',
        elements: [marked('now'), { type: 'image', image_url: 'https://x.test/a.png', alt_text: 'a' }],
      },
      { type: 'divider' },
      ...actions(button({ style: 'danger', confirm })),
    ],
    'a plan of task cards': [
      {
        type: 'plan',
        title: 'Deploy',
        tasks: [task({ details: rich('50 %') }), task({ task_id: 'smoke', status: 'error' })],
      },
    ],
    'a task card alone': [
      task({ output: rich('done'), sources: [{ type: 'url', url: 'https://x.test', text: 'log' }] }),
    ],
    'a table': [{ type: 'table', rows: [[{ type: 'raw_text', text: 'node' }, rich('ok')]] }],
    'rich text and markdown': [rich('hello'), { type: 'markdown', text: '# Hello' }],
    'a select': actions({
      type: 'static_select',
      action_id: 's',
      placeholder: plain('Which?'),
      options: [{ text: plain('spark'), value: long(150) }],
    }),
  };
  test.each(Object.entries(cases))('%s', (_name, blocks) => {
    expect(validateBlocks(blocks)).toEqual([]);
  });
});

describe('refused', () => {
  const cases: [string, unknown, string][] = [
    ['no list', 'x', 'must provide an array [json-pointer:/blocks]'],
    [
      'a section of 3,001',
      [{ type: 'section', text: marked(long(3001)) }],
      'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'a header of 151',
      [{ type: 'header', text: plain(long(151)) }],
      'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
    ],
    ['a header of mrkdwn', [{ type: 'header', text: marked('x') }], '[json-pointer:/blocks/0/text'],
    [
      'a button text of 76',
      actions(button({ text: plain(long(76)) })),
      'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
    ],
    [
      'a button value of 2,001',
      actions(button({ value: long(2001) })),
      'must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]',
    ],
    [
      'a button without text',
      actions({ type: 'button', action_id: 'a' }),
      'missing required field: text [json-pointer:/blocks/0/elements/0]',
    ],
    [
      'a text in an actions block',
      actions(marked('x')),
      'unsupported type: mrkdwn [json-pointer:/blocks/0/elements/0/type]',
    ],
    ['an unknown style', actions(button({ style: 'green' })), '[json-pointer:/blocks/0/elements/0/style]'],
    [
      '26 buttons',
      actions(...times(26, (i) => button({ action_id: `a${i}` }))),
      'no more than 25 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      'two buttons of one action_id',
      actions(button(), button()),
      'action_id already exists [json-pointer:/blocks/0/elements]',
    ],
    ['11 in a context', [{ type: 'context', elements: times(11, () => marked('x')) }], 'no more than 10 items allowed'],
    ['11 fields', [{ type: 'section', fields: times(11, () => marked('x')) }], 'no more than 10 items allowed'],
    [
      'a field of 2,001',
      [{ type: 'section', fields: [marked(long(2001))] }],
      'must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]',
    ],
    ['51 blocks', times(51, () => ({ type: 'divider' })), 'no more than 50 items allowed [json-pointer:/blocks]'],
    ['an unknown block', [{ type: 'sectoin' }], 'unsupported type: sectoin [json-pointer:/blocks/0/type]'],
    ['a section of nothing', [{ type: 'section' }], 'missing required field: text [json-pointer:/blocks/0]'],
    [
      'an empty text',
      [{ type: 'section', text: marked('') }],
      'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'an unknown property',
      [{ type: 'divider', size: 1 }],
      'invalid additional property: size [json-pointer:/blocks/0]',
    ],
    [
      'a block_id twice',
      times(2, () => ({ type: 'divider', block_id: 'a' })),
      'block_id already exists [json-pointer:/blocks/1/block_id]',
    ],
    [
      'a block_id of 256',
      [{ type: 'divider', block_id: long(256) }],
      'must be less than 256 characters [json-pointer:/blocks/0/block_id]',
    ],
    [
      'a question of 301',
      actions(button({ confirm: { text: marked(long(301)) } })),
      'must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]',
    ],
    [
      'a task without status',
      [{ type: 'plan', title: 'x', tasks: [{ type: 'task_card', task_id: 'a', title: 'A' }] }],
      'missing required field: status [json-pointer:/blocks/0/tasks/0]',
    ],
    ['a task in an unknown state', [task({ status: 'skipped' })], '[json-pointer:/blocks/0/status]'],
    ['details in mrkdwn', [task({ details: marked('x') })], '[json-pointer:/blocks/0/details'],
    [
      'a task_id twice',
      [{ type: 'plan', title: 'x', tasks: [task(), task()] }],
      'task_id already exists [json-pointer:/blocks/0/tasks]',
    ],
    [
      'two tables',
      times(2, () => ({ type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] })),
      'only_one_table_allowed [json-pointer:/blocks]',
    ],
    [
      '12,001 of markdown',
      times(2, (i) => ({ type: 'markdown', text: long(6000 + i) })),
      'must be less than 12001 characters [json-pointer:/blocks]',
    ],
  ];
  test.each(cases)('%s', (_name, blocks, problem) => {
    expect(validateBlocks(blocks)).toContainEqual(expect.stringContaining(problem));
  });
});

describe('modals', () => {
  const input = {
    type: 'input',
    block_id: 'c',
    label: plain('Length'),
    element: { type: 'plain_text_input', action_id: 'l' },
  };
  const modal = (more: object = {}) => ({
    type: 'modal',
    title: plain('Edit'),
    submit: plain('Go'),
    blocks: [input],
    ...more,
  });
  const { submit: _submit, ...withoutSubmit } = modal();

  test('taken', () => expect(validateView(modal())).toEqual([]));
  test.each<[string, unknown, string]>([
    [
      'a title of 25',
      modal({ title: plain(long(25)) }),
      'must be less than 25 characters [json-pointer:/view/title/text]',
    ],
    ['an input without submit', withoutSubmit, 'missing required field: submit [json-pointer:/view]'],
    [
      'a table',
      modal({ blocks: [{ type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] }] }),
      'unsupported type: table [json-pointer:/view/blocks/0/type]',
    ],
    [
      '101 blocks',
      modal({ blocks: times(101, () => ({ type: 'divider' })) }),
      'no more than 100 items allowed [json-pointer:/view/blocks]',
    ],
  ])('%s', (_name, view, problem) => {
    expect(validateView(view)).toContain(problem);
  });
});

test('metadata: flat values, or one level of objects', () => {
  expect(
    isMetadata({ event_type: 'card', event_payload: { deployment: 'a', seq: 3, last: true, by: { id: 'U1' } } }),
  ).toBe(true);
  expect(isMetadata({ event_type: 'card', event_payload: { by: { who: { id: 'U1' } } } })).toBe(false);
  expect(isMetadata({ event_type: 'card', event_payload: { seq: null } })).toBe(false);
  expect(isMetadata({ event_payload: {} })).toBe(false);
});
