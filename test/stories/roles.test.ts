import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  approve,
  answers,
  cards,
  cardText,
  eventually,
  type Place,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

/** A copy of the configuration that names no SSH key which exists. */
async function withoutKey({ configFolder }: Place): Promise<string> {
  const folder = `${configFolder}-bot`;
  await cp(configFolder, folder, { recursive: true });
  const file = join(folder, 'clusters', 'spark.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/key: .*/, 'key: /nonexistent/key'));
  return folder;
}

/** A deploy, a look, and a stop: as people see them. */
async function tellsItsStory(): Promise<void> {
  await say(place, '/spark deploy qwen35');
  const { uid } = await eventually('it was admitted', 10_000, () => place.record(1));
  expect(await place.ended(1)).toMatchObject({ state: 'serving' });
  expect(running(place)).toEqual({ spark1: [`sparkops-${uid}-spark1`], spark2: [`sparkops-${uid}-spark2`] });
  expect(cards(place)).toHaveLength(1);
  expect(cardText(place)).toContain('spark UP: qwen35');
  expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
  expect(threadText(place).match(/^Checks: /gm)).toHaveLength(1);

  const before = answers(place).length;
  await say(place, '/spark status');
  const status = await eventually('status is answered', 10_000, () => answers(place)[before]);
  expect(status).toContain('qwen35');
  expect(status).not.toContain('could not');

  await say(place, '/spark stop');
  await approve(place, 1);
  await eventually('it has stopped', 20_000, async () => (await place.record(1))?.state === 'stopped');
  await place.ended(1);
  expect(cards(place)).toHaveLength(2);
  expect(threadText(place).match(/spark STOPPED/g)).toHaveLength(1);
  expect(place.slack.deliveries.filter(({ status: delivered }) => delivered !== 'acked')).toEqual([]);
  expect(place.slack.violations).toEqual([]);
}

describe('Socket Mode', () => {
  it('in four processes, two bots and two workers: one card, each event once', { timeout: 90_000 }, async () => {
    place = await startPlace();
    const configFolder = await withoutKey(place);
    await Promise.all([
      place.product({ role: 'bot', configFolder }),
      place.product({ role: 'bot', configFolder }),
      place.product({ role: 'worker' }),
      place.product({ role: 'worker' }),
    ]);
    expect(place.slack.sockets()).toBe(4);
    await tellsItsStory();
  });
});

describe('HTTP mode', () => {
  it('in one process', { timeout: 90_000 }, async () => {
    place = await startPlace();
    const { slackUrl } = await place.product({ http: true });
    place.slack.deliverTo({ url: slackUrl });
    await tellsItsStory();
    expect(place.slack.apiCalls.some(({ method }) => method === 'apps.connections.open')).toBe(false);
  });

  it('in four processes, with a deploy that one bot takes and the other shows on', { timeout: 90_000 }, async () => {
    place = await startPlace({ loadSeconds: 3 });
    const [first, second] = await Promise.all([
      place.product({ role: 'bot', http: true }),
      place.product({ role: 'bot', http: true }),
      place.product({ role: 'worker' }),
      place.product({ role: 'worker' }),
    ]);
    place.slack.deliverTo({ url: first.slackUrl });
    await say(place, '/spark deploy qwen35');
    await eventually('it loads', 30_000, async () => (await place.record(1))?.phase === 'load');
    await first.kill9();
    place.slack.deliverTo({ url: second.slackUrl });
    expect(await place.ended(1)).toMatchObject({ state: 'serving' });
    expect(cards(place)).toHaveLength(1);
    expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
    await say(place, '/spark status');
    await eventually('status is answered', 10_000, () => answers(place).some((text) => text.includes('qwen35')));
    expect(place.slack.violations).toEqual([]);
  });
});

describe('with roles apart', () => {
  it('a bot without a store says so, and that models keep serving', { timeout: 90_000 }, async () => {
    place = await startPlace();
    await Promise.all([place.product({ role: 'bot' }), place.product({ role: 'worker' })]);
    await say(place, '/spark deploy qwen35');
    await place.ended(1);
    await place.redis.kill();
    for (const typed of ['/spark status', '/spark deploy qwen35', '/spark stop']) {
      const before = answers(place).length;
      const asked = performance.now();
      await say(place, typed);
      expect(await eventually('it is answered', 5_000, () => answers(place)[before])).toMatch(
        /store \(Redis\) .*Models keep serving/s,
      );
      expect(performance.now() - asked).toBeLessThan(2_500);
    }
    expect(running(place).spark1).toHaveLength(1);

    await place.redis.startAgain();
    await eventually('it answers again', 15_000, async () => {
      const before = answers(place).length;
      await say(place, '/spark status');
      return (await eventually('it is answered', 5_000, () => answers(place)[before])).includes('qwen35');
    });
  });

  it('a bot without a worker refuses nothing silently', { timeout: 60_000 }, async () => {
    place = await startPlace();
    const { operatorsUrl } = await place.product({ role: 'bot' });
    const unwell = await fetch(`${operatorsUrl}/healthz`);
    expect(unwell.status).toBe(503);
    expect(await unwell.json()).toMatchObject({ ok: false, roles: ['bot'], parts: { worker: { ok: false } } });
    await place.product({ role: 'worker' });
    await eventually('all is well', 10_000, async () => (await fetch(`${operatorsUrl}/healthz`)).status === 200);
  });
});
