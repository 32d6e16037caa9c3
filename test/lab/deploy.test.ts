import { afterEach, expect, it } from 'vitest';
import { approve, answers, cardText, say, threadText } from '../support/place.ts';
import { running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(() => place.stop());

it('serves over real Ray at the fabric addresses, and stops again', async () => {
  place = await startLabPlace();
  await place.product();
  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1, 150_000);

  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  expect(record.phases.find(({ name }) => name === 'verify-ray')?.saw).toBe(
    'spark1 192.168.200.12, 1 GPU; spark2 192.168.200.13, 1 GPU',
  );
  expect(record.smoke?.tokensPerSecond).toBeGreaterThan(0);
  expect(cardText(place)).toContain('spark UP: qwen35');
  expect(threadText(place)).toMatch(/spark UP: qwen35.*@Operator/);
  expect(await running()).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });

  await say(place, '/spark status');
  await place.slack.until(() => answers(place).length === 2);
  expect(answers(place)[1]).toContain('qwen35');

  await say(place, '/spark stop');
  await approve(place, 1);
  await place.slack.until(() => answers(place).length === 3);
  expect(await place.ended(1)).toMatchObject({ run: 'stop', state: 'stopped' });
  expect(await running()).toEqual({ spark1: [], spark2: [] });
  expect(place.slack.violations).toEqual([]);
});
