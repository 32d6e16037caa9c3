import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { approve, answers, eventually, type Place, running, say, startPlace } from '../support/place.ts';

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

/** The second word of STATE/fence, on each node. */
async function fences(): Promise<Record<string, number>> {
  const { nodes } = place.sparks.clusterFile();
  const read = nodes.map(async ({ name, paths }) => {
    const text = await readFile(join(paths?.state ?? '', 'fence'), 'utf8');
    return [name, Number(text.split(/\s/)[1])] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
