import { expect, test } from 'vitest';
import { busyAnswer } from '../../../src/bot/cards/busy-answer.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { ClusterBusy } from '../../../src/jobs/refusal.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRecord, phasesUpTo, serving } from '../support/records.ts';

const loading = aRecord({
  state: 'running',
  phase: 'load',
  phases: phasesUpTo('load'),
  progress: { stage: 'weights', percent: 53, done: 21, total: 39, secondsLeft: 440 },
});
const now = '<!date^1796126400^{time}|12:00 UTC>';

test.each<[string, Deployment, string[]]>([
  [
    'loading',
    loading,
    [
      "Not started: spark is busy with <@U0OPERATOR1>'s qwen35 (#142).",
      'Load, weights 21 of 39, 53 %, about 8 min left, since <!date^1796126470^{time}|12:01 UTC>. Nothing was changed.',
      'Wait until it ends, or cancel it: `/spark cancel 142`',
    ],
  ],
  [
    'queued',
    aRecord(),
    [
      "Not started: spark is busy with <@U0OPERATOR1>'s qwen35 (#142).",
      `It waits for its start, since ${now}. Nothing was changed.`,
      'Wait until it ends, or cancel it: `/spark cancel 142`',
    ],
  ],
  [
    'failing',
    { ...loading, state: 'aborting' },
    [
      "Not started: spark is busy with <@U0OPERATOR1>'s qwen35 (#142).",
      'It is being removed, since <!date^1796126470^{time}|12:01 UTC>. Nothing was changed.',
      'Try again when it has ended.',
    ],
  ],
  [
    'being stopped',
    serving({ run: 'stop', state: 'running', phase: 'stop' }),
    [
      "Not started: spark is busy with <@U0OPERATOR1>'s qwen35 (#142).",
      `It is being stopped, since ${now}. Nothing was changed.`,
      'Try again when it has ended.',
    ],
  ],
  [
    'serving',
    serving(),
    [
      "Not started: spark serves <@U0OPERATOR1>'s qwen35 (#142), since <!date^1796127360^{time}|12:16 UTC>.",
      'Nothing was changed.',
      'Stop it first: `/spark stop spark`',
    ],
  ],
])('%s', (_, holder, lines) => {
  const message = busyAnswer(new ClusterBusy('Not started', 'spark', holder));
  expectFits(message);
  expect(message.text.split('\n')).toEqual(lines);
  expect(liveMarkup(message)).toEqual(['<@U0OPERATOR1>']);
});
