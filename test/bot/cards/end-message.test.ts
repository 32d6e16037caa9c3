import { describe, expect, test } from 'vitest';
import { endMessage } from '../../../src/bot/cards/end-message.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRecord, at, failed, phasesUpTo, serving } from '../support/records.ts';

const asker = 'U0OPERATOR1';
const approver = { team: 'T0LOCAL0001', user: 'U0APPROVER1' };

function text(record: Deployment): string {
  const message = endMessage(record, asker);
  expectFits(message);
  return message.text;
}

const undone = phasesUpTo('load').map((phase) => ({ ...phase, state: 'undone' as const }));

test('success', () => {
  expect(text(serving())).toBe(
    [
      'spark UP: qwen35, 27 tok/s, took 16 min. <@U0OPERATOR1>',
      'http://10.1.230.180:8000/v1, model qwen35',
      'First token 0.8 s, 27 tok/s. I asked a question and the answer was right.',
    ].join('\n'),
  );
});

test('failure with its cause, its lines and what to do', () => {
  expect(text(failed())).toBe(
    [
      'spark FAILED: qwen35, spark2 has 97 GB free, the recipe … Nothing serves. <@U0OPERATOR1>',
      'qwen35 failed on spark after 9 min, step load (#142)',
      'Cause: spark2 has 97 GB free, the recipe asks for 103.',
      'Next: Retry with gpu_memory_utilization=0.77.',
      'Cleaned up, logs kept. Nothing serves on spark.',
      'More of its log: `/spark logs 142`',
      '```',
      'Free memory on device cuda:0 (97.0/121.6 GiB) on startup is less than desired',
      '```',
    ].join('\n'),
  );
});

test.each([
  ['A short one.', 'spark FAILED: qwen35, A short one. Nothing serves.'],
  [
    'spark2: example/some-very-long-image-name-without-spaces is not there.',
    'spark FAILED: qwen35, spark2: example/some-very-long-image… Nothing serves.',
  ],
])('the cause is as long as a lock screen: %s', (cause, line) => {
  expect(text(failed({ cause: { text: cause, lines: [] } })).split(' <@')[0]).toBe(line);
});

test.each([
  ['spark2 shows another host key', 'preflight', 'Nothing was changed.'],
  ['Ray on spark1 has the wrong address', 'verify-ray', 'Nothing serves.'],
  ['spark2 ran out of GPU memory', 'load', 'Nothing serves.'],
] as const)('the short form of a cause fits a lock screen: %s', (short, phase, state) => {
  const undone = phasesUpTo(phase).map((one) => (one.state === 'waiting' ? one : { ...one, state: 'undone' as const }));
  const cause = { text: `${'A long sentence. '.repeat(20)}`, short, lines: [] };
  const [line = ''] = text(failed({ cause, phase, phases: undone })).split(' <@');
  expect(line).toBe(`spark FAILED: qwen35, ${short}. ${state}`);
  expect(line.length).toBeLessThanOrEqual(75);
});

test('that nothing was changed is said once', () => {
  const phases = phasesUpTo('preflight', { state: 'failed', endedAt: at(1) });
  const cause = { text: 'spark2 lacks the image.', lines: [] };
  const told = text(failed({ phases, phase: 'preflight', cause }));
  expect(told.match(/Nothing was changed/g)).toHaveLength(1);
});

test('at most 15 lines are shown, the last ones', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
  const shown = text(failed({ cause: { text: 'It crashed.', lines } }))
    .split('```')[1]
    ?.trim()
    .split('\n');
  expect(shown).toHaveLength(15);
  expect(shown?.at(-1)).toBe('line 40');
});

describe('the first line decides, on a lock screen too', () => {
  test.each<[string, Deployment]>([
    [
      'spark CANCELLED: qwen35, #142 by <@U0APPROVER1>. Nothing was changed. <@U0OPERATOR1>',
      aRecord({ state: 'cancelled', aborting: { to: 'cancelled', by: approver } }),
    ],
    [
      'spark CANCELLED: qwen35, #142 by <@U0OPERATOR1> after 9 min. Nothing serves.',
      aRecord({
        state: 'cancelled',
        cancelAsked: { by: { ...approver, user: asker }, at: at(500) },
        phases: undone,
        endedAt: at(540),
      }),
    ],
    ['spark STOPPED: qwen35, nothing serves. <@U0OPERATOR1>', serving({ run: 'stop', state: 'stopped' })],
    [
      'spark NOT STOPPED: qwen35 still counts as serving. <@U0OPERATOR1>',
      serving({ run: 'stop', cause: { text: 'spark2 is not reachable.', lines: [] } }),
    ],
    ['spark DIED: qwen35 serves no more. <@U0OPERATOR1>', serving({ state: 'died' })],
    ['spark REPLACED: qwen35, another model serves. <@U0OPERATOR1>', serving({ state: 'replaced' })],
    ['spark FAILED: qwen35. Nothing was changed. <@U0OPERATOR1>', aRecord({ state: 'failed' })],
  ])('%s', (line, record) => {
    expect(text(record).split('\n')[0]).toBe(line);
  });
});

test('lines of a log break nothing and mention nobody', () => {
  const lines = [
    '```',
    '<!channel> <@U0VIEWER001>',
    '````',
    '&lt;!here&gt;',
    'Bearer abcdefghijklmnop',
    '\u001b[31mred\u001b[0m',
  ];
  const message = endMessage(failed({ cause: { text: 'It ```said``` <!here>', lines } }), asker);
  expectFits(message);
  expect(liveMarkup(message)).toEqual(['<@U0OPERATOR1>']);
  expect(message.text.match(/```/g)).toHaveLength(2);
  expect(message.text).not.toContain('abcdefghijklmnop');
  expect(JSON.stringify(message.blocks.at(-2))).toContain('<!channel> <@U0VIEWER001>');
  expect(message.blocks.at(-1)).toMatchObject({ type: 'actions', elements: [{ action_id: 'retry' }] });
});
