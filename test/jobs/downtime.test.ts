import { expect, test } from 'vitest';
import type { Deployment } from '../../src/jobs/deployment.ts';
import { downtimeOf, usualDowntime } from '../../src/jobs/downtime.ts';
import { recordOf } from '../support/open-gate.ts';
import { literalPlan } from './support/plan.ts';

const begin = Date.UTC(2026, 11, 1, 10, 0, 0);
const at = (minutes: number) => new Date(begin + minutes * 60_000).toISOString();

/** One whose stop-previous began at 10:00 and that served so many minutes later. */
function served(minutes: number, change: Partial<Deployment> = {}): Deployment {
  return {
    ...recordOf(literalPlan('aaaaaaaaaa'), 141),
    state: 'serving',
    phases: [
      { name: 'preflight', state: 'done', attempts: 1, startedAt: at(-30), endedAt: at(-29) },
      { name: 'stop-previous', state: 'done', attempts: 1, startedAt: at(0), endedAt: at(1) },
      { name: 'smoke', state: 'done', attempts: 1, startedAt: at(1), endedAt: at(minutes) },
    ],
    ...change,
  };
}

const here = { cluster: 'spark', recipe: 'qwen35' };

test('the median of the last five that served here', () => {
  const records = [30, 10, 12, 14, 16, 500, 500].map((minutes) => served(minutes));
  expect(usualDowntime(records, here)).toBe(14 * 60_000);
  expect(usualDowntime(records.slice(0, 2), here)).toBe(20 * 60_000);
});

test('not of other recipes, other clusters, or attempts that failed', () => {
  const failed = served(5);
  const smoke = { ...failed.phases[2], name: 'smoke' as const, state: 'failed' as const, attempts: 1 };
  const others = [
    served(1, { recipe: 'glm47' }),
    served(2, { cluster: 'quad' }),
    { ...failed, phases: [...failed.phases.slice(0, 2), smoke] },
  ];
  expect(usualDowntime(others, here)).toBeUndefined();
  expect(usualDowntime([...others, served(16)], here)).toBe(16 * 60_000);
});

test('a stop, which takes the place of the phases, keeps it', () => {
  expect(downtimeOf({ downMs: 7, phases: [{ name: 'stop', state: 'done', attempts: 1 }] })).toBe(7);
  expect(downtimeOf({ phases: [{ name: 'stop', state: 'done', attempts: 1, endedAt: at(1) }] })).toBeUndefined();
});
