import { afterEach, expect, it } from 'vitest';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import { answers, cardText, type Place, running, say, startPlace, threadText } from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

async function deployWith(fault: FaultName, loadSeconds?: number) {
  place = await startPlace({ faults: [fault], ...(loadSeconds !== undefined && { loadSeconds }) });
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
  ['ssh-refused', 'preflight', 'connection refused'],
  ['wrong-host-key', 'preflight', 'SHA256:'],
  ['missing-image', 'preflight', 'is not on this node'],
  ['no-program', 'preflight', 'the image has no program ray'],
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

it.each([
  ['serve-dies', 'CUDA out of memory'],
  ['hang', 'No progress'],
] as const)('%s ends failed at load and leaves nothing behind but its log', async (fault, words) => {
  // Half way through its weights it dies: on a busy machine too, that is after its start was seen.
  const record = await deployWith(fault, 8);

  expect(record).toMatchObject({ state: 'failed', phase: 'load' });
  expect(record.cause?.text).toContain(words);
  expect(threadText(place)).toContain(words);
  expect(running(place)).toEqual({ spark1: [], spark2: [] });

  const acted = ['start-head', 'start-workers', 'serve'];
  const states = record.phases.filter(({ name }) => acted.includes(name)).map(({ state }) => state);
  expect(states).toEqual(['undone', 'undone', 'undone']);
  expect(threadText(place)).toContain('Cleaned up, logs kept. Nothing serves on spark.');

  await say(place, '/spark logs 1 lines 3');
  await place.slack.until(() => answers(place).length === 2, 10_000);
  expect(answers(place)[1]).toContain('spark (#1): last 3 lines of the engine on spark1.');
});

it('tells a failed check in the table and in the end, and does not speak of removing what never was', async () => {
  await deployWith('missing-image');

  expect(threadText(place).match(/is not on this node/g)).toHaveLength(2);
  expect(threadText(place)).not.toContain('Removing');
  expect(threadText(place).match(/Nothing was changed/g)).toHaveLength(1);
});

it('passes over an entrypoint of the image that ignores its arguments, and says so', async () => {
  const record = await deployWith('entrypoint');

  expect(record.state).toBe('serving');
  expect(threadText(place)).toMatch(/entrypoint: .*passed over/);
});
