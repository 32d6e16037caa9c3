import { afterEach, expect, it } from 'vitest';
import { cardText, eventually, say, threadText } from '../support/place.ts';
import { answerTo, breaker, expectServing, loading } from './support/broken.ts';
import { fault, onHost, running } from './support/lab.ts';
import { type LabPlace, type LabPlaceOptions, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
const { broken, mendAll } = breaker();
afterEach(async () => {
  await mendAll();
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

const NOTHING = { spark1: [], spark2: [] };

async function deploy(options: LabPlaceOptions = {}): Promise<void> {
  place = await startLabPlace(options);
  await place.product();
  await say(place, '/spark deploy qwen35');
}

async function deployAgain(number: number): Promise<void> {
  await say(place, '/spark deploy qwen35');
  await expectServing(place, number);
}

it.each(['spark1', 'spark2'] as const)(
  'goes on when sshd of %s is away for a while as it loads',
  { timeout: 300_000 },
  async (host) => {
    await deploy({ env: { LAB_LOAD_SECONDS: '30' } });
    await loading(place, 1);
    const put = await broken(['sshd-stop', host], ['sshd-start', host]);
    expect(await answerTo(place, '/spark status')).toMatch(new RegExp(`UNREADABLE: ${host}`));
    expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'load' });
    await put();
    await expectServing(place, 1);
    expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
  },
);

it('says which disk is full, changes nothing, and serves once there is room', { timeout: 300_000 }, async () => {
  place = await startLabPlace();
  const put = await broken(['disk-fill', 'spark2'], ['disk-free', 'spark2']);
  await place.product();
  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1, 90_000);
  expect(record).toMatchObject({ state: 'failed', phase: 'preflight', cause: { node: 'spark2' } });
  expect(record.cause?.text).toContain("spark2: its state folder /home/aurora/.sparkops can't be written");
  expect(`${record.remedy}`).toContain('df -h /home/aurora/.sparkops');
  expect(await running()).toEqual(NOTHING);
  await put();
  await deployAgain(2);
});

it(
  'serves though the disk of the head fills up while it loads: that costs lines of the log',
  { timeout: 300_000 },
  async () => {
    await deploy({ env: { LAB_LOAD_SECONDS: '20' } });
    await loading(place, 1);
    await broken(['disk-fill', 'spark1'], ['disk-free', 'spark1']);
    await expectServing(place, 1);
  },
);

it.each(['spark1', 'spark2'] as const)(
  'names the container of %s that was killed while loading',
  { timeout: 400_000 },
  async (host) => {
    await deploy({ env: { LAB_LOAD_SECONDS: '40' } });
    const { uid } = await loading(place, 1);
    await fault('kill-container', host, `sparkops-${uid}-${host}`);
    const record = await place.ended(1, 150_000);
    expect(record).toMatchObject({ state: 'failed', phase: 'load' });
    const text: unknown = expect.stringContaining(`The container on ${host} ended with code 137`);
    expect(record.cause).toMatchObject({ node: host, text });
    expect(cardText(place)).toContain('spark FAILED');
    expect(await running()).toEqual(NOTHING);
    await deployAgain(2);
  },
);

it('tells that a container was killed while it serves, and serves again', { timeout: 300_000 }, async () => {
  await deploy();
  const { uid } = await expectServing(place, 1);
  await fault('kill-container', 'spark1', `sparkops-${uid}-spark1`);
  await eventually('#1 died', 30_000, async () => (await place.record(1))?.state === 'died');
  const died = await place.ended(1);
  expect(died.cause).toMatchObject({ node: 'spark1', text: 'The container on spark1 ended with exit code 137' });
  expect(cardText(place)).toContain('spark DIED');
  await deployAgain(2);
  // The worker's container of the first was left over.
  expect((await onHost('spark2', 'docker ps -aq')).split('\n')).toHaveLength(1);
});

it('goes on when a frozen host thaws in time', { timeout: 300_000 }, async () => {
  await deploy({ env: { LAB_LOAD_SECONDS: '20' } });
  await loading(place, 1);
  const put = await broken(['freeze', 'spark1'], ['thaw', 'spark1']);
  expect(await answerTo(place, '/spark status')).toContain('UNREADABLE: spark1');
  expect(await place.record(1)).toMatchObject({ state: 'running', phase: 'load' });
  await put();
  await expectServing(place, 1);
});

it(
  'ends at its limit when a host stays frozen, and removes what it left at the next deploy',
  { timeout: 400_000 },
  async () => {
    await deploy({ env: { LAB_LOAD_SECONDS: '60' }, timeouts: { load_silence: '20s', undo: '20s' } });
    await loading(place, 1);
    const put = await broken(['freeze', 'spark2'], ['thaw', 'spark2']);
    const record = await place.ended(1, 200_000);
    expect(record).toMatchObject({ state: 'failed', phase: 'load' });
    expect(record.cause?.text).toMatch(/spark2/);
    expect(threadText(place)).toMatch(/What start-workers started could not be removed.*spark2/);
    await put();
    await deployAgain(2);
    expect((await onHost('spark2', 'docker ps -aq')).split('\n')).toHaveLength(1);
  },
);
