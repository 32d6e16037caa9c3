import { readlink } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { say, threadText } from '../support/place.ts';
import { answerTo, expectServing, expectStopped } from './support/broken.ts';
import { onHost, running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

it('serves from a head that sparkops and its Redis share with Ray', async () => {
  place = await startLabPlace({ onTheHead: true });
  const product = await place.product();
  expect(await networkOf(product.pid)).toBe(await onHost('spark1', 'readlink /proc/self/ns/net'));

  await say(place, '/spark deploy qwen35');
  const record = await expectServing(place, 1);
  expect(threadText(place)).toMatch(/spark UP: qwen35.*@Operator/);
  const listens = await onHost('spark1', 'ss -ltnH');
  for (const port of [6379, record.plan.rayPort, record.plan.port]) expect(listens).toContain(`:${port} `);
  expect(await answerTo(place, '/spark status')).toContain('qwen35');

  await expectStopped(place, 1);
  expect(await running()).toEqual({ spark1: [], spark2: [] });
});

function networkOf(pid: number): Promise<string> {
  return readlink(`/proc/${pid}/ns/net`);
}
