import { expect, test } from 'vitest';
import { heldAnswer, heldMessage } from '../../../src/bot/cards/hold-card.ts';
import { statusAnswer } from '../../../src/bot/cards/status-answer.ts';
import type { Hold } from '../../../src/jobs/hold-rules.ts';
import type { ClusterStatus } from '../../../src/jobs/jobs.ts';
import { ClusterHeld } from '../../../src/jobs/refusal.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRecord, START } from '../support/records.ts';

const hold: Hold = {
  by: { team: 'T1', user: 'U0OPERATOR1' },
  name: 'Operator',
  reason: 'eval run',
  at: '2026-12-01T10:00:00.000Z',
  until: '2026-12-01T18:00:00.000Z',
};
const now = new Date('2026-12-01T12:00:00Z');
const END = '<!date^1796148000^{date_short_pretty} {time}|2026-12-01 18:00 UTC>';
const cluster = (change: Partial<ClusterStatus> = {}): ClusterStatus => ({
  cluster: 'spark',
  description: '',
  channels: [],
  serving: [],
  nodes: [],
  engines: [],
  lookedAt: START,
  ...change,
});
const firstLines = (clusters: readonly ClusterStatus[], sharedBy?: string) =>
  statusAnswer(clusters, now, sharedBy === undefined ? {} : { sharedBy }).text.split('\n');

test('status tells of a hold: who, until when, what for, since when', () => {
  expect(firstLines([cluster({ hold })])[0]).toBe(
    `spark HELD: by <@U0OPERATOR1> until ${END}, eval run (for 2 h now); nothing serves`,
  );
});

test('what is wrong stays first; the hold is told beside it', () => {
  const busy = aRecord({ state: 'running', phase: 'load' });
  expect(firstLines([cluster({ hold, busy })])[0]).toMatch(/^spark LOADING: qwen35 .*; held by <@U0OPERATOR1> until/);
});

test('in the channel nobody is mentioned', () => {
  const [first, ...rest] = firstLines([cluster({ hold, freeze: hold })], 'U0VIEWER001');
  expect(first).toMatch(/^spark HELD: by Operator until/);
  expect(rest[0]).toMatch(/^FROZEN by Operator until/);
});

test('a freeze is told once for all clusters', () => {
  const lines = firstLines([cluster({ freeze: hold }), cluster({ cluster: 'spark-b', freeze: hold })]);
  expect(lines.filter((line) => line.startsWith('FROZEN by <@U0OPERATOR1> until'))).toHaveLength(1);
});

test.each([
  ['a hold', 'spark', `Not started: <@U0OPERATOR1> holds spark until ${END}, eval run.`, '/spark unlock spark'],
  [
    'a freeze',
    undefined,
    `Not started: <@U0OPERATOR1> has frozen all clusters until ${END}, eval run.`,
    '/spark unfreeze',
  ],
])('a refusal by %s', (_, of, first, command) => {
  const message = heldAnswer(new ClusterHeld('Not started', of, hold));
  expectFits(message);
  expect(message.text.split('\n').slice(0, 2)).toEqual([first, 'Nothing was changed.']);
  expect(message.text).toContain(`\`${command}\``);
});

test('a hostile reason stays words', () => {
  const reason = '<!channel> ``` <@U0VICTIM001> & '.repeat(6).slice(0, 200);
  const message = heldMessage({ cluster: 'spark', hold: { ...hold, reason } });
  expectFits(message);
  expect(liveMarkup(message)).toEqual(['<@U0OPERATOR1>']);
});
