import { afterEach, expect, it } from 'vitest';
import { approve, cardText, cards, eventually, type Place, running, say, startPlace } from '../support/place.ts';

let place: Place;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

it('an engine that dies while it serves is told on its card, and the next deploy removes what it left', async () => {
  place = await startPlace();
  const first = await place.product();
  await say(place, '/spark deploy qwen35');
  expect((await place.ended(1)).state).toBe('serving');
  await place.sparks.kill('spark1', 'engine');
  await eventually('it died', 20_000, async () => (await place.record(1))?.state === 'died');
  const died = await place.ended(1);
  expect(died.cause?.text).toContain('signal 9');
  expect(cardText(place)).toContain('spark DIED');

  // The process that removes the leftovers is killed in the middle of it.
  const hold = place.sparks.hold('spark2', /docker rm/);
  await say(place, '/spark deploy qwen35');
  await hold.reached;
  expect((await place.record(2))?.phase).toBe('stop-previous');
  await first.kill9();
  hold.release();
  const second = await place.product();
  const record = await place.ended(2);
  expect(record.state, record.cause?.text).toBe('serving');
  expect(running(place)).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });
  expect(cards(place)).toHaveLength(2);

  const stopping = place.sparks.hold('spark2', /docker rm/);
  await say(place, '/spark stop');
  await approve(place, 2);
  await stopping.reached;
  await second.kill9();
  stopping.release();
  await place.product();
  expect(await place.ended(2)).toMatchObject({ state: 'stopped' });
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
}, 90_000);
