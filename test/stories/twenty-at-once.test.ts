import { afterEach, expect, it } from 'vitest';
import { OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import { answers, cards, type Place, running, startPlace } from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

it('runs exactly one of 20 deploys that come at once to two processes', async () => {
  place = await startPlace();
  await Promise.all([place.product(), place.product()]);
  await Promise.all(Array.from({ length: 20 }, () => place.slack.say(OPERATOR, OPS_CHANNEL, '/spark deploy qwen35')));
  await place.slack.until(() => answers(place).length === 20, 15_000);
  const record = await place.ended(1);

  const refusals = answers(place).filter((answer) => answer.startsWith('Not started'));
  expect(refusals).toHaveLength(19);
  for (const refusal of refusals) expect(refusal).toMatch(/busy with @Operator's qwen35 \(#1\)/);
  expect(record.state).toBe('serving');
  expect(await place.record(2)).toBeUndefined();
  expect(cards(place)).toHaveLength(1);
  const started = Object.entries(place.sparks.starts('spark1'));
  expect(started).toEqual([
    [`sparkops-${record.uid}-spark1`, 1],
    ['engine', 1],
  ]);
  expect(running(place).spark2).toEqual([`sparkops-${record.uid}-spark2`]);
  expect(place.slack.deliveries.filter(({ status }) => status !== 'acked')).toEqual([]);
  expect(place.slack.violations).toEqual([]);
});
