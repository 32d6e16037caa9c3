import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admit, admitStop } from '../../src/jobs/claim.ts';
import { openStore } from '../../src/jobs/store.ts';
import { now, openBench, operator, type Bench } from './support/bench.ts';
import { literalPlan } from './support/plan.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
});

const admission = (uid: string) => ({
  plan: literalPlan(uid),
  action: 'deploy' as const,
  revision: 'abcd1234',
  sparkopsVersion: '0.1.0',
  by: operator,
  surface: 'test',
  view: { channel: 'C1' },
});

describe('admission', () => {
  test('numbers the deployment and writes record, event, view and claim in one step', async () => {
    const admitted = await bench.admit('aaaaaaaaaa');
    expect(admitted).toMatchObject({ outcome: 'admitted', job: 'd-aaaaaaaaaa-1' });

    const entry = await bench.journal.findByNumber(142);
    expect(entry).toMatchObject({ rev: 1, seq: 1, job: 'd-aaaaaaaaaa-1', views: { test: '{"channel":"C1"}' } });
    expect(entry?.record).toMatchObject({ number: 142, state: 'queued', by: { team: 'T1', user: 'U0OPERATOR' } });
    expect(entry?.record.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'preflight waiting',
      'start-head waiting',
      'serve waiting',
      'load waiting',
    ]);
    expect(await bench.journal.events('aaaaaaaaaa', 0)).toMatchObject([{ seq: 1, kind: 'admitted' }]);
    expect(await bench.store.redis.smembers(bench.store.keys.unpresented('test'))).toEqual(['aaaaaaaaaa']);
  });

  test('of 20 at once over two connections exactly one gets the cluster', async () => {
    const other = bench.connect();
    await other.ping().catch(() => new Promise((resolve) => other.once('ready', resolve)));
    const stores = [bench.store, openStore('test', other)];
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => admit(stores[at % 2] ?? bench.store, admission(`uid${at}aaaaaa`), now)),
    );
    const winners = all.flatMap((each) => (each.outcome === 'admitted' ? [each.record.uid] : []));
    const told = all.flatMap((each) => (each.outcome === 'busy' ? [each.uid] : []));
    expect(winners).toHaveLength(1);
    expect(told).toEqual(Array.from({ length: 19 }, () => winners[0]));
    expect(await bench.store.redis.get(bench.store.keys.counter)).toBe('142');
  });

  test('of 20 clusters at once each gets a number of its own, also in the text of its record', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => bench.admit(`uid${at}`, { cluster: `c${at}` })),
    );
    const numbers = all.map((each) => (each.outcome === 'admitted' ? each.record.number : 0));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => 142 + at));
    for (const number of numbers) expect((await bench.journal.findByNumber(number))?.record.number).toBe(number);
  });

  test('without a counter no number is given and nothing is written', async () => {
    await bench.store.redis.del(bench.store.keys.counter);
    expect(await bench.admit('aaaaaaaaaa')).toEqual({ outcome: 'no-counter' });
    expect(await bench.store.redis.dbsize()).toBe(0);
  });
});

describe('a hold', () => {
  const hold = {
    by: { team: 'T1', user: 'U0HOLDER' },
    name: 'Holder',
    reason: 'eval',
    at: '2026-12-01T09:00:00Z',
    until: '2026-12-01T18:00:00Z',
  };
  const holder = { ...hold.by, name: 'Holder' };
  const forced = { what: ['hold' as const], reason: 'the demo', by: hold.by };

  test('keeps everyone but its holder from a deploy, and nobody from a restart', async () => {
    const { redis, keys } = bench.store;
    await redis.set(keys.hold('spark'), JSON.stringify(hold));
    expect(await bench.admit('aaaaaaaaaa')).toEqual({ outcome: 'held', what: 'hold', hold });
    expect(await redis.exists(keys.claim('spark'), keys.live)).toBe(0);
    expect(await admit(bench.store, { ...admission('bbbbbbbbbb'), by: holder }, now)).toMatchObject({
      outcome: 'admitted',
    });
    await redis.del(keys.claim('spark'));
    const restart = { ...admission('cccccccccc'), action: 'restart' as const };
    expect(await admit(bench.store, restart, now)).toMatchObject({ outcome: 'admitted' });
  });

  test('of all clusters keeps its holder as well, and is passed by force alone', async () => {
    await bench.store.redis.set(bench.store.keys.freeze, JSON.stringify(hold));
    expect(await admit(bench.store, { ...admission('aaaaaaaaaa'), by: holder }, now)).toEqual({
      outcome: 'held',
      what: 'freeze',
      hold,
    });
    expect(await admit(bench.store, { ...admission('aaaaaaaaaa'), forced }, now)).toMatchObject({
      outcome: 'admitted',
    });
    expect(await bench.journal.events('aaaaaaaaaa', 0)).toMatchObject([
      { seq: 1, kind: 'admitted' },
      { seq: 2, kind: 'forced', action: 'deploy', forced },
    ]);
    expect((await bench.journal.find('aaaaaaaaaa'))?.seq).toBe(2);
  });

  test('keeps a stop from being done', async () => {
    await bench.admit('aaaaaaaaaa');
    const { record, rev } = await bench.journal.change('aaaaaaaaaa', (old) => ({
      record: { ...old, state: 'serving' },
    }));
    await bench.store.redis.set(bench.store.keys.hold('spark'), JSON.stringify(hold));
    const stop = { record, rev, action: 'stop' as const, by: operator, surface: 'test', view: {} };
    expect(await admitStop(bench.store, stop, now)).toEqual({ outcome: 'held', what: 'hold', hold });
    expect(await admitStop(bench.store, { ...stop, forced }, now)).toMatchObject({ outcome: 'admitted' });
    expect((await bench.journal.events('aaaaaaaaaa', 0)).slice(-2)).toMatchObject([
      { kind: 'admitted' },
      { kind: 'forced', action: 'stop', forced },
    ]);
  });
});

test('an attempt that waits for approval may stand for what serves, though not for what is claimed', async () => {
  await bench.admit('aaaaaaaaaa');
  await bench.journal.change('aaaaaaaaaa', (record) => ({ record: { ...record, state: 'serving' } }));
  const over = admission('bbbbbbbbbb');
  expect(await admit(bench.store, over, now)).toMatchObject({ outcome: 'admitted' });
  expect(await admit(bench.store, { ...over, plan: literalPlan('cccccccccc') }, now)).toEqual({
    outcome: 'busy',
    uid: 'bbbbbbbbbb',
  });
});

describe('the end of a run', () => {
  test('frees the claim in the step that writes it', async () => {
    await bench.admit('aaaaaaaaaa');
    await bench.journal.change('aaaaaaaaaa', (record) => ({
      record: { ...record, state: 'failed' },
      event: { kind: 'ended', state: 'failed' },
    }));
    expect(await bench.journal.live()).toEqual([]);
    expect(await bench.admit('bbbbbbbbbb')).toMatchObject({ outcome: 'admitted' });
  });
});

describe('a stop', () => {
  test('is a run on the record that serves, with the claim and a job of its own', async () => {
    await bench.admit('aaaaaaaaaa');
    const { record, rev } = await bench.journal.change('aaaaaaaaaa', (old) => ({
      record: { ...old, state: 'serving', cause: { text: 'old', lines: [] } },
    }));
    const stop = { record, rev, action: 'stop' as const, by: operator, surface: 'test', view: { channel: 'C2' } };

    expect(await admitStop(bench.store, stop, now)).toMatchObject({ outcome: 'admitted', job: 'd-aaaaaaaaaa-2' });
    const entry = await bench.journal.find('aaaaaaaaaa');
    expect(entry?.record).toMatchObject({ run: 'stop', state: 'queued' });
    expect(entry?.record.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'approval waiting',
      'stop waiting',
    ]);
    expect(entry?.record.cause).toBeUndefined();
    expect(entry?.views).toEqual({ test: '{"channel":"C1"}' });
    expect(await admitStop(bench.store, stop, now)).toEqual({ outcome: 'busy', uid: 'aaaaaaaaaa' });
    expect(await bench.admit('bbbbbbbbbb')).toEqual({ outcome: 'busy', uid: 'aaaaaaaaaa' });
  });

  test('is not admitted on a record that has changed meanwhile', async () => {
    await bench.admit('aaaaaaaaaa');
    const { record, rev } = await bench.journal.change('aaaaaaaaaa', (old) => ({
      record: { ...old, state: 'serving' },
    }));
    await bench.journal.change('aaaaaaaaaa', (old) => ({ record: { ...old, state: 'died' } }));
    const stop = { record, rev, action: 'stop' as const, by: operator, surface: 'test', view: {} };
    expect(await admitStop(bench.store, stop, now)).toEqual({ outcome: 'changed' });
  });
});
