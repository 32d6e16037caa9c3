import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuckets, openSharedBuckets } from '../../src/jobs/buckets.ts';
import { openBench, type Bench } from './support/bench.ts';
import { testRedis, type TestRedis } from '../support/redis.ts';

const limits = { perMinute: 60, burst: 3, reserve: 0 };

describe('a bucket of one process', () => {
  test('gives its burst, then one token a second, and says how long to wait', async () => {
    let at = 0;
    const take = openBuckets({ clock: () => at });
    for (let taken = 0; taken < 3; taken += 1) expect(await take('edits', limits)).toEqual({ ok: true });
    expect(await take('edits', limits)).toEqual({ ok: false, waitMs: 1_000 });
    at = 400;
    expect(await take('edits', limits)).toEqual({ ok: false, waitMs: 600 });
    at = 1_000;
    expect(await take('edits', limits)).toEqual({ ok: true });
    expect(await take('other', limits)).toEqual({ ok: true });
  });

  test('leaves the reserve to others', async () => {
    const take = openBuckets({ clock: () => 0 });
    expect(await take('edits', { ...limits, reserve: 2 })).toEqual({ ok: true });
    expect(await take('edits', { ...limits, reserve: 2 })).toEqual({ ok: false, waitMs: 1_000 });
    expect(await take('edits', limits)).toEqual({ ok: true });
  });
});

describe('a bucket that processes share', () => {
  let redis: TestRedis;
  let bench: Bench;
  beforeAll(async () => {
    redis = await testRedis();
    bench = await openBench(redis);
  });
  afterAll(async () => {
    redis.goOn();
    await bench.stop();
  });

  test('two of them get together what one may', async () => {
    const redis = bench.connect();
    await once(redis, 'ready');
    const takes = [openSharedBuckets(bench.store), openSharedBuckets({ ...bench.store, redis })];
    const taken = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => takes[index % 2]?.('edits', { ...limits, perMinute: 6 })),
    );
    expect(taken.filter((answer) => answer?.ok)).toHaveLength(3);
    const refused = taken.find((answer) => answer && !answer.ok);
    expect(refused).toMatchObject({ ok: false, waitMs: expect.toSatisfy((ms: number) => ms > 9_000 && ms <= 10_000) });
  });

  test('fills again, and leaves the reserve', async () => {
    const take = openSharedBuckets(bench.store);
    const fast = { perMinute: 1_200, burst: 2, reserve: 0 };
    for (let taken = 0; taken < 2; taken += 1) expect(await take('fast', fast)).toEqual({ ok: true });
    expect(await take('fast', { ...fast, reserve: 1 })).toMatchObject({ ok: false });
    await expect.poll(() => take('fast', { ...fast, reserve: 1 }), { interval: 20 }).toEqual({ ok: true });
    expect(await bench.store.redis.pttl(bench.store.keys.bucket('fast'))).toBeGreaterThan(0);
  });

  test('while Redis is away each process goes on with a share of its own', async () => {
    const take = openSharedBuckets(bench.store, openBuckets({ clock: () => 0, full: false }));
    redis.pause();
    expect(await take('away', limits)).toEqual({ ok: true });
    expect(await take('away', limits)).toEqual({ ok: false, waitMs: 4_000 });
    redis.goOn();
    await expect.poll(() => take('away', limits)).toEqual({ ok: true });
  });
});
