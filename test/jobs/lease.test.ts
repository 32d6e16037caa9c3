import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { takeLease, type Lease, type LeaseOptions } from '../../src/jobs/lease.ts';
import { openBench, silent, type Bench } from './support/bench.ts';
import { testRedis, type TestRedis } from '../support/redis.ts';

let bench: Bench;
let redis: TestRedis;
const uid = 'aaaaaaaaaa';
const TTL = 600;

beforeAll(async () => {
  redis = await testRedis();
  bench = await openBench(redis);
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
  await bench.admit(uid);
});

async function take(change: Partial<LeaseOptions> = {}): Promise<Lease> {
  const lease = await takeLease(bench.store, {
    cluster: 'spark',
    uid,
    ttlMs: TTL,
    log: silent,
    newToken: randomUUID,
    ...change,
  });
  if (!lease) throw new Error('not claimed');
  return lease;
}

const running = new AbortController().signal;

test('only the deployment that has the claim can be leased', async () => {
  expect(
    await takeLease(bench.store, {
      cluster: 'spark',
      uid: 'bbbbbbbbbb',
      ttlMs: TTL,
      log: silent,
      newToken: randomUUID,
    }),
  ).toBeUndefined();
});

test('it is kept for longer than its life, and given back', async () => {
  const began = performance.now();
  const lease = await take();
  await vi.waitFor(async () => {
    expect(await bench.store.redis.pttl(bench.store.keys.lease('spark'))).toBeGreaterThan(0);
    expect(performance.now()).toBeGreaterThan(began + TTL * 1.5);
  }, 3_000);
  expect(lease.state).toBe('held');
  await lease.release();
  expect(await bench.store.redis.get(bench.store.keys.lease('spark'))).toBeNull();
});

test('another process takes it over at once: new token, fence + 1, and the first one knows within a renewal', async () => {
  const first = await take();
  const second = await take();
  expect(second.fence).toBe(first.fence + 1);
  expect(second.token).not.toBe(first.token);
  await vi.waitFor(() => expect(first.state).toBe('lost'), { timeout: TTL });
  await expect(first.grip(running)).rejects.toMatchObject({ code: 'stale-fence' });
  await expect(first.raiseFence(7)).rejects.toMatchObject({ code: 'stale-fence' });
  await first.release();
  expect(second.state).toBe('held');
  await second.release();
});

test('a node that has seen more is outbid: the higher of Redis and the node, and one more', async () => {
  const lease = await take();
  expect(await lease.raiseFence(41)).toBe(42);
  expect(await lease.raiseFence(3)).toBe(43);
  expect(lease.fence).toBe(43);
  await lease.release();
  const next = await take();
  expect(next.fence).toBe(44);
  await next.release();
});

describe('while Redis does not answer', () => {
  test('it is unknown after two thirds of its life: grip waits, and goes on when Redis is back', async () => {
    const lease = await take();
    redis.pause();
    await vi.waitFor(() => expect(lease.state).toBe('unknown'), { timeout: 2_000 });
    let gripped = false;
    const waiting = lease.grip(running).then(() => {
      gripped = true;
    });
    await expect(lease.grip(AbortSignal.timeout(TTL))).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(gripped).toBe(false);
    // By now its key has run out, but nobody else has had it.
    redis.goOn();
    await waiting;
    expect(lease.state).toBe('held');
    expect(lease.lost.aborted).toBe(false);
    await lease.release();
  });
});

test('one that lapsed is lost if another process has had it meanwhile, also when that one is gone again', async () => {
  const lease = await take();
  const { lease: key, fence } = bench.store.keys;
  await bench.store.redis.multi().del(key('spark')).incr(fence('spark')).exec();
  await vi.waitFor(() => expect(lease.state).toBe('lost'), { timeout: TTL });
  await lease.release();
});

test('when Redis has lost its memory, the run puts back what it knows and holds on', async () => {
  const forgotten = vi.fn<(fence: number) => Promise<void>>(async (fence) => {
    await bench.store.redis.mset(bench.store.keys.claim('spark'), uid, bench.store.keys.fence('spark'), fence);
  });
  const lease = await take({ onForgotten: forgotten });
  await bench.store.redis.flushall();
  await vi.waitFor(() => expect(forgotten).toHaveBeenCalledWith(lease.fence), { timeout: 2_000 });
  await vi.waitFor(async () => expect(await bench.store.redis.get(bench.store.keys.lease('spark'))).toBe(lease.token));
  expect(lease.state).toBe('held');
  await lease.release();
});
