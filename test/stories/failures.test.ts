import { afterEach, expect, it } from 'vitest';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import { cardText, type Place, running, say, startPlace, threadText } from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

async function deployWith(...faults: FaultName[]) {
  place = await startPlace({ faults });
  await place.product();
  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1);
  expect(place.slack.violations).toEqual([]);
  return record;
}

it('stops within 5 s of Ray when Ray registered the wrong address, before serve', async () => {
  const record = await deployWith('wrong-address');

  expect(record).toMatchObject({ state: 'failed', phase: 'verify-ray' });
  const rayStarted = record.phases.find(({ name }) => name === 'start-workers')?.endedAt ?? '';
  const stopped = record.phases.find(({ name }) => name === 'verify-ray')?.endedAt ?? '';
  expect(Date.parse(stopped) - Date.parse(rayStarted)).toBeLessThan(5_000);
  for (const words of ['spark1', '10.1.230.180', '192.168.200.12', 'spark2']) {
    expect(record.cause?.text).toContain(words);
    expect(threadText(place)).toContain(words);
  }
  expect(place.sparks.starts('spark1')['engine']).toBeUndefined();
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
});

it.each([
  ['serve-dies', 'load', 'CUDA out of memory'],
  ['hang', 'load', 'No progress'],
  ['ssh-refused', 'preflight', 'connection refused'],
  ['wrong-host-key', 'preflight', 'SHA256:'],
  ['missing-image', 'preflight', 'is not on this node'],
  ['ray-without-gpu', 'verify-ray', 'without a GPU'],
  ['port-taken', 'preflight', '8000'],
] as const)('%s ends failed at %s and shows it', { timeout: 60_000 }, async (fault, phase, words) => {
  const record = await deployWith(fault);

  expect(record).toMatchObject({ state: 'failed', phase });
  expect([record.cause?.text, ...(record.cause?.lines ?? [])].join('\n')).toContain(words);
  expect(threadText(place)).toContain(words);
  expect(cardText(place)).toContain('FAILED');
  const failed = record.phases.find(({ name }) => name === phase);
  const took = Date.parse(failed?.endedAt ?? '') - Date.parse(failed?.startedAt ?? '');
  expect(took).toBeLessThan(record.plan.limits.phases[phase]);
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
  expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
});

it('passes over an entrypoint of the image that ignores its arguments, and says so', async () => {
  const record = await deployWith('entrypoint');

  expect(record.state).toBe('serving');
  expect(threadText(place)).toMatch(/entrypoint: .*passed over/);
});
