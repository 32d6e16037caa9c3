import { afterEach, expect, it } from 'vitest';
import {
  answers,
  cards,
  cardText,
  eventually,
  type Place,
  refusals,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

it.each([
  ['start-head', 'spark1'],
  ['start-workers', 'spark2'],
] as const)(
  'a cancel in %s leaves nothing, also when its command begins only afterwards',
  { timeout: 60_000 },
  async (_phase, node) => {
    place = await startPlace();
    await place.product();
    const hold = place.sparks.hold(node, /docker run/);
    await say(place, '/spark deploy qwen35');
    await hold.reached;
    await say(place, '/spark cancel 1');
    const record = await place.ended(1);
    expect(record).toMatchObject({ state: 'cancelled' });
    hold.release();
    await eventually('the node refuses', 10_000, () => refusals(place, node).length > 0);

    expect(running(place)).toEqual({ spark1: [], spark2: [] });
    expect(place.sparks.starts(node)).toEqual({});
    expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
    expect(cards(place)).toHaveLength(1);
  },
);

it('is cancelled while it loads by a process that does not run it; asked again it is cancelled once', async () => {
  place = await startPlace({ loadSeconds: 20 });
  await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually('it loads', 30_000, async () => (await place.record(1))?.phase === 'load');
  await place.product();
  // The local Slack gives one command to each socket in turn: two processes have two each.
  for (let time = 0; time < 4; time++) await say(place, '/spark cancel 1');
  expect(await place.ended(1)).toMatchObject({ state: 'cancelled' });

  await place.slack.until(() => answers(place).length === 5, 10_000);
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
  expect(cardText(place)).toContain('CANCELLED');
  expect(threadText(place).match(/spark CANCELLED/g)).toHaveLength(1);
}, 60_000);
