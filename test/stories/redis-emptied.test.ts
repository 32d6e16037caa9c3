import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { approve, answers, cardText, eventually, type Place, running, say, startPlace } from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

it('takes a fence above what the nodes hold after Redis was emptied', { timeout: 60_000 }, async () => {
  place = await startPlace();
  await place.product();
  await say(place, '/spark deploy qwen35');
  expect((await place.ended(1)).state).toBe('serving');
  await say(place, '/spark stop');
  await approve(place, 1);
  await place.slack.until(() => answers(place).length === 2);
  expect((await place.ended(1)).state).toBe('stopped');
  const before = await fences();

  await place.store.redis.flushall();
  await say(place, '/spark deploy qwen35');
  await place.slack.until(() => answers(place).length === 3);
  const record = await place.ended(2);
  expect(record).toMatchObject({ state: 'serving' });
  const after = await fences();
  for (const [node, fence] of Object.entries(after)) expect(fence).toBeGreaterThan(before[node] ?? Infinity);
});

it('asks before it deploys over a model that serves, after Redis was emptied', { timeout: 60_000 }, async () => {
  place = await startPlace();
  await place.product();
  await say(place, '/spark deploy qwen35');
  await place.ended(1);
  const before = running(place);

  await place.store.redis.flushall();
  await say(place, '/spark deploy qwen35');
  await place.slack.until(() => answers(place).length === 2, 10_000);
  expect(answers(place)[1]).toMatch(/I ask for approval before qwen35 \(#1\) is interrupted/);
  await eventually('#2 waits', 20_000, async () => (await place.record(2))?.state === 'waiting-approval');
  expect(running(place)).toEqual(before);
  await say(place, '/spark withdraw 2');
  await eventually('#2 is withdrawn', 10_000, async () => (await place.record(2))?.state === 'cancelled');
  const url = place.sparks.engineUrl();
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);

  await say(place, '/spark stop');
  await approve(place, 1);
  await eventually('it is stopped', 20_000, () => running(place).spark1.length === 0);
});

it(
  'leaves a newer model alone after Redis was restored from before it, and says so',
  { timeout: 120_000 },
  async () => {
    place = await startPlace();
    const first = await place.product();
    const starting = place.sparks.hold('spark1', /start-container/);
    await say(place, '/spark deploy qwen35');
    await starting.reached;
    expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'start-head' });
    const copy = await copyOf(place.store.redis);
    starting.release();
    expect((await place.ended(1)).state).toBe('serving');
    await say(place, '/spark deploy qwen35');
    await approve(place, 2);
    expect((await place.ended(2)).state).toBe('serving');
    const before = running(place);

    await first.terminate();
    await restore(place.store.redis, copy);
    expect((await place.record(1))?.state).toBe('running');
    await place.product();
    expect(await place.ended(1)).toMatchObject({
      state: 'failed',
      cause: {
        text: expect.stringMatching(/^#2 has acted on spark[12] since: this record of #1 is older than the nodes/),
      },
    });
    expect(cardText(place)).toContain('Nothing was removed: what is on spark came after it.');
    expect(running(place)).toEqual(before);
    expect((await fetch(`${place.sparks.engineUrl()}/v1/models`)).status).toBe(200);
    await eventually('#2 is known again', 10_000, async () => (await place.record(2))?.state === 'serving');
    const answered = answers(place).length;
    await say(place, '/spark status');
    const status = await eventually('status is told', 10_000, () => answers(place)[answered]);
    expect(status).toMatch(/qwen35 \(#2\)/);
    expect(status).not.toContain('#1');

    await say(place, '/spark deploy qwen35');
    await approve(place, 3);
    expect((await place.ended(3)).state).toBe('serving');
    expect((await place.record(2))?.state).toBe('replaced');
  },
);

interface Copied {
  key: string;
  value: Buffer;
  ttlMs: number;
}

/** As a snapshot on disk has it. */
async function copyOf(redis: Redis): Promise<Copied[]> {
  const keys = await redis.keys('*');
  const copied = await Promise.all(
    keys.map(async (key) => {
      const [value, ttlMs] = await Promise.all([redis.dumpBuffer(key), redis.pttl(key)]);
      return { key, value, ttlMs: Math.max(0, ttlMs) };
    }),
  );
  return copied.filter(({ value }) => value !== null);
}

async function restore(redis: Redis, copied: readonly Copied[]): Promise<void> {
  await redis.flushall();
  for (const { key, value, ttlMs } of copied) await redis.restore(key, ttlMs, value);
}

/** The second word of STATE/fence, on each node. */
async function fences(): Promise<Record<string, number>> {
  const { nodes } = place.sparks.clusterFile();
  const read = nodes.map(async ({ name, paths }) => {
    const text = await readFile(join(paths?.state ?? '', 'fence'), 'utf8');
    return [name, Number(text.split(/\s/)[1])] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
