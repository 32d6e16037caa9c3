import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withRequests } from '../../src/jobs/hold-requests.ts';
import type { Taken } from '../../src/jobs/notices.ts';
import { leaveSample } from '../../src/jobs/samples.ts';
import { openBench, type Bench } from './support/bench.ts';

const NOW = new Date('2026-12-01T17:45:00Z');
const hold = {
  by: { team: 'T1', user: 'U0OPERATOR' },
  name: 'Operator',
  reason: 'eval run',
  at: '2026-12-01T10:00:00.000Z',
  until: '2026-12-01T18:00:00.000Z',
};
let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(() => bench.store.redis.flushall());

function taken(cluster: string): Taken {
  return {
    notice: { id: 'one', due: NOW.toISOString(), mention: [], body: { kind: 'hold-ends', cluster, hold } },
    tries: 0,
    keepTries: async () => undefined,
    told: async () => undefined,
  };
}

/** What the model that serves had been asked, so many minutes before. */
async function asked(minutes: number, requests: number): Promise<void> {
  const at = NOW.getTime() - minutes * 60_000;
  await leaveSample(bench.store, 'aaaaaaaaaa', { at, running: 0, waiting: 0, tokens: requests * 10, requests });
}

test('tells of the requests of the last hour on the cluster that is held', async () => {
  await bench.store.redis.zadd(bench.store.keys.serving('spark'), 1, 'aaaaaaaaaa');
  await asked(61, 100);
  await asked(30, 250);
  await asked(1, 304);
  expect((await withRequests(bench.store, taken('spark'), NOW)).notice.body).toMatchObject({ requests: 204 });
  const { notice } = taken('spark-b');
  expect((await withRequests(bench.store, taken('spark-b'), NOW)).notice).toEqual(notice);
});

test('where samples do not cover the hour, it tells of none', async () => {
  await bench.store.redis.zadd(bench.store.keys.serving('spark'), 1, 'aaaaaaaaaa');
  await asked(5, 304);
  expect((await withRequests(bench.store, taken('spark'), NOW)).notice).toEqual(taken('spark').notice);
});
