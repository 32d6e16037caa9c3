import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sample } from '../../src/cluster/probes/engine-state.ts';
import { keepSample, leaveSample, samplesOf } from '../../src/jobs/samples.ts';
import { openBench, silent, type Bench } from './support/bench.ts';

let bench: Bench;
const uid = 'aaaaaaaaaa';
const START = Date.UTC(2026, 11, 1, 3, 0, 0);
const look = (seconds: number, seen: Partial<Sample> = {}): Sample => ({
  at: START + seconds * 1_000,
  running: 0,
  waiting: 0,
  tokens: 0,
  requests: 0,
  ...seen,
});

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(() => bench.store.redis.flushall());

test('stay for two hours, oldest first, of each deployment its own', async () => {
  await leaveSample(bench.store, uid, look(0));
  await leaveSample(bench.store, uid, look(3_600, { running: 2, watts: 61.3 }));
  await leaveSample(bench.store, 'bbbbbbbbbb', look(3_600));
  expect(await samplesOf(bench.store, uid)).toEqual([look(0), look(3_600, { running: 2, watts: 61.3 })]);
  await leaveSample(bench.store, uid, look(7_201));
  expect((await samplesOf(bench.store, uid)).map(({ at }) => (at - START) / 1_000)).toEqual([3_600, 7_201]);
  expect(await bench.store.redis.pttl(bench.store.keys.samples(uid))).toBeGreaterThan(7_100_000);
});

test('many looks at once do not crowd out the two hours', async () => {
  for (let second = 0; second <= 7_200; second += 5) await leaveSample(bench.store, uid, look(second));
  const kept = (await samplesOf(bench.store, uid)).map(({ at }) => (at - START) / 1_000);
  expect(kept.length).toBeLessThanOrEqual(300);
  expect(kept[0]).toBe(0);
  expect(kept.at(-1)).toBe(7_200);
  const gaps = kept.slice(1).map((second, at) => second - (kept[at] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30);
}, 20_000);

test('a store that is away costs a look nothing', async () => {
  const away = await openBench();
  await away.stop();
  await expect(leaveSample(away.store, uid, look(0))).rejects.toMatchObject({ code: 'store-away' });
  await expect(keepSample(away.store, silent, uid, look(0))).resolves.toBeUndefined();
});
