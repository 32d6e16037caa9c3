import { afterEach, expect, it } from 'vitest';
import type { Deployment } from '../../src/jobs/deployment.ts';
import { answers, eventually, say, threadText } from '../support/place.ts';
import { fault, labUp, running } from './support/lab.ts';
import { type LabPlace, type LabPlaceOptions, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
const mend: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of mend.splice(0).toReversed()) await each();
  await place.stop();
});

/** Breaks something, and has it mended after the test at the latest. */
async function broken(words: readonly string[], mended: readonly string[]): Promise<() => Promise<void>> {
  let whole = false;
  const put = async () => {
    if (whole) return;
    whole = true;
    await fault(...mended);
  };
  mend.push(put);
  await fault(...words);
  return put;
}

async function deploy(options: LabPlaceOptions): Promise<void> {
  place = await startLabPlace(options);
  await place.product();
  await say(place, '/spark deploy qwen35');
}

async function loading(number: number): Promise<Deployment> {
  return await eventually(`#${number} reads its weights`, 90_000, async () => {
    const record = await place.record(number);
    return record?.phase === 'load' && record.progress?.stage === 'weights' ? record : undefined;
  });
}

async function expectServing(number: number, limitMs = 150_000): Promise<Deployment> {
  const record = await place.ended(number, limitMs);
  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  return record;
}

it(
  'ends with the cause when the fabric is cut while loading, and serves at the second try',
  { timeout: 400_000 },
  async () => {
    await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
    await loading(1);
    const put = await broken(['fabric-cut'], ['fabric-mend']);
    const failed = await eventually('#1 fails', 150_000, async () => {
      const record = await place.record(1);
      return record?.state === 'failed' || record?.state === 'aborting' ? record : undefined;
    });
    expect(failed.cause).toMatchObject({ node: 'spark2', text: expect.stringContaining('its node has died') });
    await put();
    expect(await place.ended(1, 90_000)).toMatchObject({ state: 'failed', phase: 'load' });
    expect(await running()).toEqual({ spark1: [], spark2: [] });

    await say(place, '/spark deploy qwen35');
    await expectServing(2);
  },
);

it('goes on when the management link is away for 20 s while loading', { timeout: 300_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '30' } });
  await loading(1);
  const put = await broken(['management-cut'], ['management-mend']);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'load' });
  await put();
  await expectServing(1);
});

it('names the node whose Docker was restarted while loading', { timeout: 400_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
  await loading(1);
  await fault('docker-restart', 'spark2');
  const record = await place.ended(1, 150_000);
  expect(record).toMatchObject({ state: 'failed', phase: 'load' });
  expect(record.cause?.node).toBe('spark2');
  expect(threadText(place)).toMatch(/The container on spark2 (ended with code|was removed)/);
  expect(await running()).toEqual({ spark1: [], spark2: [] });

  await say(place, '/spark deploy qwen35');
  await expectServing(2);
});

it('says in status that a host is off, and serves again once it is back', { timeout: 400_000 }, async () => {
  await deploy({});
  await expectServing(1);
  mend.push(labUp);
  const put = await broken(['power-off', 'spark2'], ['power-on', 'spark2']);
  await say(place, '/spark status');
  await place.slack.until(() => answers(place).length === 2, 30_000);
  expect(answers(place)[1]).toMatch(/spark2/);

  await put();
  await say(place, '/spark stop');
  await place.slack.until(() => answers(place).length === 3, 30_000);
  expect(await place.ended(1, 90_000)).toMatchObject({ run: 'stop', state: 'stopped' });
  await say(place, '/spark deploy qwen35');
  await expectServing(2);
});
