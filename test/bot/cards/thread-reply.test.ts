import { expect, test } from 'vitest';
import { threadReply } from '../../../src/bot/cards/thread-reply.ts';
import type { CheckRow, DeploymentEvent, EventBody } from '../../../src/jobs/events.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { START } from '../support/records.ts';

function events(...bodies: EventBody[]): DeploymentEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: START }));
}

function text(...bodies: EventBody[]): string | undefined {
  const message = threadReply(events(...bodies));
  if (message) expectFits(message);
  return message?.text;
}

const by = { team: 'T', user: 'U0OPERATOR1' };
const ok: CheckRow = { node: 'spark1', check: 'docker', state: 'ok', text: '29.1' };

test('checks: failures first, then warnings, each with what to do; the fine ones are counted', () => {
  const rows: CheckRow[] = [
    ...Array.from({ length: 31 }, () => ok),
    { node: 'spark1', check: 'driver', state: 'warning', text: '580.1, spark2 has 580.2.' },
    {
      node: 'spark2',
      check: 'memory',
      state: 'failed',
      text: '97 GB free, needs 103.',
      remedy: 'Stop what uses it.',
      lines: ['MemAvailable: 97'],
    },
  ];
  expect(text({ kind: 'checks', phase: 'preflight', rows })).toBe(
    [
      'Checks: 1 FAILED, 1 warning, 31 ok.',
      'FAILED, spark2 memory: 97 GB free, needs 103.',
      'Next: Stop what uses it.',
      '```',
      'MemAvailable: 97',
      '```',
      'Warning, spark1 driver: 580.1, spark2 has 580.2.',
    ].join('\n'),
  );
});

test('what came together is one reply', () => {
  expect(
    text(
      { kind: 'phase', phase: 'verify-ray', state: 'done' },
      { kind: 'note', phase: 'verify-ray', level: 'info', text: 'joined at 192.168.200.13', node: 'spark2' },
      { kind: 'note', phase: 'load', level: 'warning', text: 'Quiet for 3 min.', lines: ['last line'] },
      { kind: 'cancel-asked', by },
    ),
  ).toBe(
    [
      'spark2: joined at 192.168.200.13',
      'Warning, load: Quiet for 3 min.',
      '```',
      'last line',
      '```',
      'Cancel asked by <@U0OPERATOR1>.',
    ].join('\n'),
  );
});

test('a cause is told at once, before everything is undone; the end has what proves it', () => {
  const cause = { text: 'The engine ended with code 1', node: 'spark1', lines: ['Traceback'] };
  expect(text({ kind: 'aborting', to: 'failed', phase: 'load', cause })).toBe(
    'FAILING at load: spark1: The engine ended with code 1.\nRemoving what was started.',
  );
});

test.each(['preflight', 'stop-previous', 'stop'] as const)(
  'a failure at %s, where nothing was started, is told by its end',
  (phase) => {
    expect(text({ kind: 'aborting', to: 'failed', phase, cause: { text: 'no', lines: [] } })).toBeUndefined();
  },
);

test('a row that names its node, and a remedy for several, are said once', () => {
  const row = { check: 'reach', state: 'failed', remedy: 'Look at the switch.' } as const;
  const rows: CheckRow[] = [
    { ...row, node: 'spark1', text: 'spark1 (10.1.230.180): no route to host' },
    { ...row, node: 'spark2', text: 'spark2 (192.168.200.13 through spark1): the way there is closed' },
  ];
  expect(text({ kind: 'checks', phase: 'preflight', rows })?.split('\n')).toEqual([
    'Checks: 2 FAILED, 0 ok.',
    'FAILED, reach: spark1 (10.1.230.180): no route to host',
    'Next: Look at the switch.',
    'FAILED, reach: spark2 (192.168.200.13 through spark1): the way there is closed',
  ]);
});

test('what the card says is not repeated', () => {
  expect(
    text(
      { kind: 'admitted', by },
      { kind: 'phase', phase: 'load', state: 'running' },
      { kind: 'progress' },
      { kind: 'aborting', to: 'cancelled', by },
      { kind: 'ended', state: 'serving' },
    ),
  ).toBeUndefined();
});

test('very much of it still fits, and mentions nobody', () => {
  const nasty = '<!channel> ```x``` '.repeat(60);
  const row: CheckRow = {
    node: nasty,
    check: nasty,
    state: 'failed',
    text: nasty,
    remedy: nasty,
    lines: [nasty, nasty],
  };
  const note: EventBody = {
    kind: 'note',
    phase: 'load',
    level: 'warning',
    text: nasty,
    lines: Array.from({ length: 50 }, () => nasty),
  };
  const message = threadReply(
    events(
      { kind: 'checks', phase: 'preflight', rows: Array.from({ length: 40 }, () => row) },
      ...Array.from({ length: 30 }, () => note),
    ),
  );
  expect(message).toBeDefined();
  if (!message) return;
  expectFits(message);
  expect(liveMarkup(message)).toEqual([]);
});
