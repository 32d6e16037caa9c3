import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admitStop } from '../../src/jobs/claim.ts';
import { openDeployQueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { reconcile } from '../../src/jobs/reconcile/reconciler.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';
import { literalMachine, type LiteralMachine } from './support/machine.ts';
import { literalPlan } from './support/plan.ts';

let bench: Bench;
let queue: DeployQueue;
let machine: LiteralMachine;
const uid = 'aaaaaaaaaa';

beforeAll(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  machine = literalMachine();
});

function round(): Promise<void> {
  return reconcile(
    {
      store: bench.store,
      journal: bench.journal,
      queue,
      changes: bench.changes,
      config: async () => literalConfig(),
      transports: openTransports(() => machine.transport),
      everyMs: 10_000,
      now,
      log: silent,
    },
    new AbortController().signal,
  );
}

async function serving(): Promise<void> {
  await bench.store.redis.set(bench.store.keys.counter, 141);
  await bench.admit(uid);
  await bench.journal.change(uid, (record) => ({ record: { ...record, state: 'serving' } }));
}

const counter = () => bench.store.redis.get(bench.store.keys.counter);

describe('the counter', () => {
  test('goes on after the highest number that a node has seen', async () => {
    machine.number = '141';
    await round();
    expect(await counter()).toBe('141');
    const admitted = await bench.admit(uid);
    expect(admitted).toMatchObject({ outcome: 'admitted', record: { number: 142 } });
  });

  test('or that a run folder of a node names', async () => {
    await round();
    expect(await counter()).toBe('3');
  });

  test('does not wait for a node that is away', async () => {
    machine.away = true;
    await round();
    expect(await counter()).toBe('0');
  });

  test('is never set back', async () => {
    await bench.store.redis.set(bench.store.keys.counter, 500);
    machine.number = '141';
    await round();
    expect(await counter()).toBe('500');
  });
});

describe('a store that was emptied while a model serves', () => {
  test('knows it again: a stop works', async () => {
    const record = JSON.stringify({
      schema: 1,
      number: 142,
      uid,
      cluster: 'spark',
      recipe: 'qwen35',
      plan: literalPlan(uid),
    });
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, record }];
    machine.number = '142';
    await round();

    expect(await bench.store.redis.zrange(bench.store.keys.serving('spark'), 0, '-1')).toEqual([uid]);
    const entry = await bench.journal.findByNumber(142);
    expect(entry?.record).toMatchObject({
      state: 'serving',
      recipe: 'qwen35',
      plan: { uid },
      endpoint: 'http://10.1.230.180:8000',
    });
    if (!entry) throw new Error('no record');
    const stop = { record: entry.record, rev: entry.rev, by: operator, action: 'stop' as const, surface: 'test', view: { channel: 'C1' } };
    expect(await admitStop(bench.store, stop, now)).toMatchObject({ outcome: 'admitted' });
  });

  test('a record that can not be read keeps nobody from working elsewhere', async () => {
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, record: '{"schema":1,' }];
    await round();
    expect(await counter()).toBe('3');
    expect(await bench.journal.find(uid)).toBeUndefined();
  });
});

describe('what is listed as serving', () => {
  test('has died when its engine is gone, with how it ended', async () => {
    await serving();
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, engine: 'none', exit: 'signal 9' }];
    await round();
    expect((await bench.journal.find(uid))?.record).toMatchObject({
      state: 'died',
      cause: { text: 'The engine on spark1 ended: signal 9', node: 'spark1' },
    });
    expect((await bench.journal.events(uid, 0)).at(-1)).toMatchObject({ kind: 'ended', state: 'died' });
    expect(await bench.admit('bbbbbbbbbb')).toMatchObject({ outcome: 'admitted' });
  });

  test('has died when its container is gone', async () => {
    await serving();
    await round();
    expect((await bench.journal.find(uid))?.record.cause?.text).toBe('Its container on spark1 is gone');
  });

  test.each(['alive', 'unknown'])('serves on while its engine is %s', async (engine) => {
    await serving();
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, engine }];
    await round();
    expect((await bench.journal.find(uid))?.record.state).toBe('serving');
  });

  test('serves on, as far as anyone knows, while its node is away', async () => {
    await serving();
    machine.away = true;
    await round();
    expect((await bench.journal.find(uid))?.record.state).toBe('serving');
  });
});

describe('queue and claims', () => {
  beforeEach(async () => {
    await bench.store.redis.set(bench.store.keys.counter, 141);
    await bench.admit(uid);
  });

  test('a record that is not ended and has no job gets it back', async () => {
    await round();
    expect((await queue.getJob(`d-${uid}-1`))?.data).toEqual({ uid });
  });

  test('but not while a process holds its lease', async () => {
    await bench.store.redis.set(bench.store.keys.lease('spark'), 'token', 'PX', 5_000);
    await round();
    expect(await queue.getJob(`d-${uid}-1`)).toBeUndefined();
  });

  test('a claim whose record is gone is freed, one that is in use is not', async () => {
    await round();
    expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBe(uid);
    await bench.store.redis.del(bench.store.keys.record(uid));
    await round();
    expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBeNull();
  });
});

test('records are kept for 30 days after their end', async () => {
  await bench.store.redis.set(bench.store.keys.counter, 141);
  await bench.admit(uid);
  await bench.journal.change(uid, (record) => ({ record: { ...record, state: 'failed' } }));
  await round();
  expect(await bench.journal.find(uid)).toBeDefined();
  await bench.store.redis.zadd(bench.store.keys.ended, Date.now() - 31 * 24 * 3_600_000, uid);
  await round();
  expect(await bench.journal.find(uid)).toBeUndefined();
  expect(await bench.journal.findByNumber(142)).toBeUndefined();
});
