import { afterEach, expect, it } from 'vitest';
import {
  cards,
  cardText,
  eventually,
  type Place,
  running,
  say,
  SHORT_LIVES,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

/** What must hold after a worker was killed, whenever that was. */
async function servesOnce(limitMs: number): Promise<void> {
  const record = await place.ended(1, limitMs);
  expect(record).toMatchObject({ state: 'serving' });
  expect(running(place)).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });
  expect(place.sparks.starts('spark1')).toEqual({ [`sparkops-${record.uid}-spark1`]: 1, engine: 1 });
  expect(place.sparks.starts('spark2')).toEqual({ [`sparkops-${record.uid}-spark2`]: 1 });
  expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
  expect(cards(place)).toHaveLength(1);
  expect(cardText(place)).toContain('spark UP: qwen35');
  expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
  expect(place.slack.violations).toEqual([]);
}

it.each([
  ['start-workers', 'spark2', /docker run/],
  ['serve', 'spark1', /start-serve/],
  ['load', 'spark1', /serve\.log \d/],
] as const)('goes on after kill -9 in %s', { timeout: 90_000 }, async (phase, node, command) => {
  place = await startPlace({ loadSeconds: 2 });
  const first = await place.product();
  const hold = place.sparks.hold(node, command);
  await say(place, '/spark deploy qwen35');
  await hold.reached;
  expect((await place.record(1))?.phase).toBe(phase);
  await first.kill9();
  hold.release();
  await place.product();
  await servesOnce(60_000);
});

it('goes on undoing after kill -9 in an undo, and ends failed for its true reason', { timeout: 90_000 }, async () => {
  place = await startPlace({ faults: ['wrong-address'] });
  const first = await place.product();
  const hold = place.sparks.hold('spark1', /docker rm/);
  await say(place, '/spark deploy qwen35');
  await hold.reached;
  expect((await place.record(1))?.state).toBe('aborting');
  await first.kill9();
  hold.release();
  await place.product();

  const record = await place.ended(1);
  expect(record.state).toBe('failed');
  expect(record.cause?.text).toContain('10.1.230.180');
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
  expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
  expect(cards(place)).toHaveLength(1);
  expect(cardText(place)).toContain('spark FAILED');
  expect(threadText(place).match(/spark FAILED/g)).toHaveLength(1);
  expect(place.slack.violations).toEqual([]);
});

it('is taken over by a second worker within 25 s of kill -9, at full-scale lives', { timeout: 120_000 }, async () => {
  const { load, load_silence } = SHORT_LIVES;
  place = await startPlace({ loadSeconds: 25, timeouts: { load: '120s', load_silence } });
  expect(load).toBeDefined();
  const first = await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually('it loads', 30_000, async () => (await place.record(1))?.phase === 'load');
  const lease = () => place.store.redis.get(place.store.keys.lease('spark'));
  const before = await lease();
  await place.product();
  const killed = performance.now();
  await first.kill9();
  await eventually('another process has the lease', 25_000, async () => {
    const now = await lease();
    return now !== null && now !== before;
  });
  expect(performance.now() - killed).toBeLessThan(25_000);
  await servesOnce(60_000);
});

it('hands over on SIGTERM within 3 s, undoes nothing, and goes on after a restart', { timeout: 90_000 }, async () => {
  place = await startPlace({ loadSeconds: 4 });
  const first = await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually('it loads', 30_000, async () => (await place.record(1))?.phase === 'load');
  const before = running(place);
  const { ms, code } = await first.terminate();
  expect(code).toBe(0);
  expect(ms).toBeLessThan(3_000);
  expect(running(place)).toEqual(before);
  expect((await place.record(1))?.state).toBe('running');
  expect(place.sparks.commands.filter(({ text }) => /docker rm/.test(text))).toEqual([]);

  await place.product();
  await servesOnce(60_000);
});
