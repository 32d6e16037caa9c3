import { afterEach, expect, it } from 'vitest';
import {
  approve,
  answers,
  cards,
  cardText,
  type Place,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

it('deploys from a slash command to a right answer, and stops again', async () => {
  place = await startPlace();
  await place.product();
  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1);

  expect(record.state).toBe('serving');
  expect(record.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'preflight done',
    'approval done',
    'stop-previous done',
    'start-head done',
    'start-workers done',
    'verify-ray done',
    'serve done',
    'load done',
    'smoke done',
  ]);
  expect(record.smoke?.tokensPerSecond).toBeGreaterThan(0);
  expect(answers(place)).toEqual([expect.stringContaining('#1')]);
  expect(cards(place)).toHaveLength(1);
  expect(cardText(place)).toContain('spark UP: qwen35');
  expect(threadText(place)).toMatch(/spark UP: qwen35.*@Operator/);
  expect(running(place)).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });

  await say(place, '/spark status');
  await place.slack.until(() => answers(place).length === 2);
  expect(answers(place)[1]).toContain('qwen35');

  await say(place, '/spark stop');
  await approve(place, 1);
  await place.slack.until(() => answers(place).length === 3);
  const stopped = await place.ended(1);
  expect(stopped).toMatchObject({ run: 'stop', state: 'stopped' });
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
  expect(place.sparks.engineUrl()).toBeUndefined();
  expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
  expect(place.slack.violations).toEqual([]);
});
