import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/local/slack/message.ts';
import { formatDate } from '../../../src/local/slack/text/dates.ts';
import { mrkdwnText } from '../../../src/local/slack/text/mrkdwn-text.ts';
import type { Reader } from '../../../src/local/slack/text/reader.ts';
import { textOf } from '../../../src/local/slack/text/text-of.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z') / 1000;
const reader: Reader = {
  user: (id) => ({ U1: 'Operator' })[id] ?? id,
  channel: (id) => ({ C1: 'spark-ops' })[id] ?? id,
  now: () => (NOON + 60) * 1000,
  timeZone: 'Europe/Berlin',
};
const message = (content: Partial<Message>): Message => ({
  type: 'message',
  channel: 'C1',
  ts: '1.0',
  user: 'U1',
  text: '',
  team: 'T1',
  ...content,
});
const rich = (text: string) => ({
  type: 'rich_text' as const,
  elements: [{ type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text }] }],
});
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const marked = (text: string) => ({ type: 'mrkdwn' as const, text });

test.each([
  ['*bold* _it_ ~gone~ `co*de*`', 'bold it gone co*de*'],
  ['a*b*c snake_case_name 2*3*4', 'a*b*c snake_case_name 2*3*4'],
  ['<@U1> in <#C1>, <!here>', '@Operator in #spark-ops, @here'],
  ['<https://x.test|the log> <https://x.test>', 'the log (https://x.test) https://x.test'],
  ['a &lt; b &amp;&amp; c', 'a < b && c'],
  [`until <!date^${NOON}^{time}|12:00 UTC>`, 'until 13:00'],
  [':warning: :nosuchthing:', '⚠️ :nosuchthing:'],
  ['see\n```\nline 1\n*line* 2\n```', 'see\n  line 1\n  *line* 2'],
])('%s', (source, shown) => {
  expect(mrkdwnText(source, reader)).toBe(shown);
});

describe('dates', () => {
  const day = 86_400;
  test.each([
    [NOON, '{date_num} {time_secs}', '2026-12-01 13:00:00'],
    [NOON, '{date_short_pretty} at {time}', 'today at 13:00'],
    [NOON - day, '{date_pretty}', 'yesterday'],
    [NOON + 3 * day, '{date_short_pretty}', '4 Dec'],
    [NOON, '{date}', '1 December 2026'],
    [NOON, '{ago}', '1 minute ago'],
    [NOON, '{unknown}', '{unknown}'],
  ])('%s as %s', (seconds, format, shown) => {
    expect(formatDate(seconds, format, reader)).toBe(shown);
  });
});

test('a card reads like a list', () => {
  const blocks: KnownBlock[] = [
    { type: 'header', text: plain('#12 qwen35 on spark') },
    { type: 'context', elements: [marked('asked by <@U1>'), marked(`<!date^${NOON}^{time}|12:00>`)] },
    {
      type: 'plan',
      title: 'Deploying, 3 of 5',
      tasks: [
        { type: 'task_card', task_id: '1', title: 'Preflight, done in 4 s', status: 'complete' },
        {
          type: 'task_card',
          task_id: '2',
          title: 'Load',
          status: 'in_progress',
          details: rich('53 %, up about 14:22'),
        },
        { type: 'task_card', task_id: '3', title: 'Smoke', status: 'pending' },
        { type: 'task_card', task_id: '4', title: 'Serve', status: 'error', output: rich('exit code 1') },
      ],
    },
    { type: 'divider' },
    { type: 'section', text: marked('*Cause*: it went'), fields: [marked('*Node* spark1')] },
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'c', text: plain('Cancel') },
        { type: 'button', action_id: 'l', text: plain('Logs'), url: 'http://x.test/log' },
        {
          type: 'static_select',
          action_id: 's',
          placeholder: plain('On'),
          options: [{ text: plain('spark'), value: 's' }],
        },
      ],
    },
  ];
  expect(textOf(message({ text: 'not shown', blocks }), reader)).toBe(
    [
      '#12 qwen35 on spark',
      'asked by @Operator  13:00',
      'Deploying, 3 of 5',
      '  ● Preflight, done in 4 s',
      '  ◐ Load, running',
      '      53 %, up about 14:22',
      '  ○ Smoke, waiting',
      '  ✕ Serve, failed',
      '      exit code 1',
      '────────────────────────────────────────',
      'Cause: it went',
      'Node spark1',
      '[Cancel] [Logs] http://x.test/log [On: spark]',
    ].join('\n'),
  );
});

test('tables are aligned, rich text keeps its shape', () => {
  const raw = (text: string) => ({ type: 'raw_text' as const, text });
  const blocks: KnownBlock[] = [
    {
      type: 'table',
      column_settings: [{}, { align: 'right' }],
      rows: [
        [raw('node'), raw('tok/s')],
        [raw('spark-long'), rich('27')],
      ],
    },
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_list',
          style: 'bullet',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'user', user_id: 'U1' }] }],
        },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'line 1\nline 2' }] },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said' }] },
      ],
    },
  ];
  expect(textOf(message({ blocks }), reader)).toBe(
    ['node        tok/s', 'spark-long     27', '- @Operator', '  line 1', '  line 2', '> said'].join('\n'),
  );
});

test('without blocks the text is shown', () => {
  expect(textOf(message({ text: '*hi* <@U1>' }), reader)).toBe('hi @Operator');
});
