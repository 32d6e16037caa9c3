import { afterEach, expect, it } from 'vitest';
import { eventually, say, threadText } from '../support/place.ts';
import { answerTo, breaker, expectServing, expectStopped, loading } from './support/broken.ts';
import { fault, labUp, running } from './support/lab.ts';
import { type LabPlace, type LabPlaceOptions, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
const { broken, atEnd, mendAll } = breaker();
afterEach(async () => {
  await mendAll();
  await place.stop();
});

async function deploy(options: LabPlaceOptions): Promise<void> {
  place = await startLabPlace(options);
  await place.product();
  await say(place, '/spark deploy qwen35');
}

it(
  'ends with the cause when the fabric is cut while loading, and serves at the second try',
  { timeout: 400_000 },
  async () => {
    await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
    await loading(place, 1);
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
    await expectServing(place, 2);
  },
);

it('goes on when the management link is away for 20 s while loading', { timeout: 300_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '30' } });
  await loading(place, 1);
  const put = await broken(['management-cut'], ['management-mend']);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'load' });
  await put();
  await expectServing(place, 1);
});

it('goes on when packets of the management link vanish for a while', { timeout: 300_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '30' } });
  await loading(place, 1);
  const put = await broken(['management-drop'], ['management-pass']);
  expect(await answerTo(place, '/spark status')).toContain('UNREADABLE: spark1');
  expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'load' });
  await put();
  await expectServing(place, 1);
});

it(
  'ends with the cause when packets of the fabric vanish, and serves at the second try',
  { timeout: 400_000 },
  async () => {
    await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
    await loading(place, 1);
    const put = await broken(['fabric-drop'], ['fabric-pass']);
    const failed = await eventually('#1 fails', 150_000, async () => {
      const record = await place.record(1);
      return record?.state === 'failed' || record?.state === 'aborting' ? record : undefined;
    });
    expect(failed.cause).toMatchObject({ node: 'spark2', text: expect.stringContaining('its node has died') });
    await put();
    expect(await place.ended(1, 90_000)).toMatchObject({ state: 'failed', phase: 'load' });
    await say(place, '/spark deploy qwen35');
    await expectServing(place, 2);
  },
);

it('names the node whose Docker was restarted while loading', { timeout: 400_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
  await loading(place, 1);
  await fault('docker-restart', 'spark2');
  const record = await place.ended(1, 150_000);
  expect(record).toMatchObject({ state: 'failed', phase: 'load' });
  expect(record.cause?.node).toBe('spark2');
  expect(threadText(place)).toMatch(/The container on spark2 (ended with code|was removed)/);
  expect(await running()).toEqual({ spark1: [], spark2: [] });

  await say(place, '/spark deploy qwen35');
  await expectServing(place, 2);
});

it('says in status that a host is off, and serves again once it is back', { timeout: 400_000 }, async () => {
  await deploy({});
  await expectServing(place, 1);
  atEnd(labUp);
  const put = await broken(['power-off', 'spark2'], ['power-on', 'spark2']);
  expect(await answerTo(place, '/spark status')).toMatch(/spark2/);

  await put();
  await expectStopped(place, 1);
  await say(place, '/spark deploy qwen35');
  await expectServing(place, 2);
});
