import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sample } from '../../src/cluster/probes/engine-state.ts';
import { admitStop } from '../../src/jobs/claim.ts';
import { openDeployQueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { reconcile, type Read } from '../../src/jobs/reconcile/reconciler.ts';
import { learnOfNewer } from '../../src/jobs/restore.ts';
import { runLook } from '../../src/jobs/looks/run-look.ts';
import { leaveSample, samplesOf } from '../../src/jobs/samples.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';
import { literalMachine, type LiteralMachine } from './support/machine.ts';
import { literalPlan } from './support/plan.ts';

let bench: Bench;
let queue: DeployQueue;
let machine: LiteralMachine;
let read: Read;
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
  read = { counter: 0 };
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
    read,
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
    const stop = {
      record: entry.record,
      rev: entry.rev,
      by: operator,
      action: 'stop' as const,
      surface: 'test',
      view: { channel: 'C1' },
    };
    expect(await admitStop(bench.store, stop, now)).toMatchObject({ outcome: 'admitted' });
  });

  test('a record that can not be read keeps nobody from working elsewhere', async () => {
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, record: '{"schema":1,' }];
    await round();
    expect(await counter()).toBe('3');
    expect(await bench.journal.find(uid)).toBeUndefined();
  });
});

describe('a store that was restored from before a model was started', () => {
  const newer = 'bbbbbbbbbb';

  beforeEach(async () => {
    await bench.store.redis.set(bench.store.keys.counter, 141);
    const record = JSON.stringify({ number: 143, recipe: 'qwen35', plan: literalPlan(newer) });
    machine.containers = [{ name: `sparkops-${newer}-spark1`, uid: newer, number: 143, record }];
    machine.number = '150';
  });

  const listed = () => bench.store.redis.zrange(bench.store.keys.serving('spark'), 0, '-1');
  const readings = () => machine.ran.filter((text) => text.includes('/number')).length;

  test('knows it again once a process has started, and numbers go on above it', async () => {
    await round();
    await round();
    expect(readings()).toBe(1);
    expect(await listed()).toEqual([newer]);
    expect((await bench.journal.findByNumber(143))?.record).toMatchObject({ state: 'serving', uid: newer });
    expect(await counter()).toBe('143');
  });

  test('while processes go on: its counter has gone down', async () => {
    const { redis, keys } = bench.store;
    machine.containers = [];
    await round();
    await redis.set(keys.counter, 160);
    await round();
    expect(readings()).toBe(1);
    await redis.set(keys.counter, 159);
    await round();
    await round();
    expect(readings()).toBe(2);
    expect(await counter()).toBe('159');
  });

  test('once a run was told of it by a node', async () => {
    await bench.store.redis.set(bench.store.keys.counter, 143);
    const { containers } = machine;
    machine.containers = [];
    await round();
    machine.containers = containers;
    const wanted = new Promise<void>((resolve) => {
      const stop = bench.changes.onCounterWanted(() => {
        stop();
        resolve();
      });
    });
    await learnOfNewer(bench.store, 142);
    await wanted;
    expect(await counter()).toBe('143');
    await round();
    expect(await listed()).toEqual([newer]);
    await learnOfNewer(bench.store, 144);
    expect(await counter()).toBe('144');
  });

  test('sets no counter before the nodes were read', async () => {
    await bench.store.redis.del(bench.store.keys.counter);
    await learnOfNewer(bench.store, 143);
    expect(await counter()).toBeNull();
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

describe('samples of what serves', () => {
  const busy = 'vllm:num_requests_running 2\nvllm:generation_tokens_total 90\nvllm:request_success_total 40\n';

  beforeEach(async () => {
    await serving();
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid }];
    machine.health = 200;
    machine.metrics = busy;
  });

  test('are left by a round, with what the GPU draws; not more than one in a while', async () => {
    await round();
    await round();
    expect(await samplesOf(bench.store, uid)).toEqual([
      { at: expect.any(Number), running: 2, waiting: 0, tokens: 90, requests: 42, watts: 12.3 },
    ]);
  });

  test('again when the last one is some seconds old, whoever left it', async () => {
    const at = Date.now() - 16_000;
    await leaveSample(bench.store, uid, { at, running: 0, waiting: 0, tokens: 80, requests: 39 });
    await round();
    expect((await samplesOf(bench.store, uid)).map(({ tokens }) => tokens)).toEqual([80, 90]);
  });

  test('are not left of an engine that says nothing, nor of one that is gone', async () => {
    machine.metrics = '';
    await round();
    machine.containers = [];
    machine.metrics = busy;
    await round();
    expect(await samplesOf(bench.store, uid)).toEqual([]);
    expect((await bench.journal.find(uid))?.record.state).toBe('died');
  });

  test('are left by everybody who asks for the status', async () => {
    const left: [string, Sample][] = [];
    const answer = await runLook(
      {
        config: async () => literalConfig(),
        transports: openTransports(() => machine.transport),
        now,
        leaveSample: async (...sample) => void left.push(sample),
      },
      { kind: 'status', clusters: ['spark'], engines: [{ uid, cluster: 'spark', node: 'spark1', port: 8000 }] },
    );
    expect(left).toEqual([[uid, expect.objectContaining({ running: 2, requests: 42, watts: 12.3 })]]);
    expect(answer).toMatchObject({ clusters: [{ engines: [{ uid, health: 'ok' }] }] });
    expect(answer).not.toMatchObject({ clusters: [{ engines: [{ down: true }] }] });
  });

  test('status knows an engine that is gone for certain', async () => {
    delete machine.health;
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid, engine: 'none', exit: '1' }];
    const parts = { config: async () => literalConfig(), transports: openTransports(() => machine.transport), now };
    const engines = [{ uid, cluster: 'spark', node: 'spark1', port: 8000 }];
    expect(await runLook(parts, { kind: 'status', clusters: ['spark'], engines })).toMatchObject({
      clusters: [{ engines: [{ uid, health: 'refused', down: true }] }],
    });
    // A node that can't be read is no proof.
    machine.away = true;
    expect(await runLook(parts, { kind: 'status', clusters: ['spark'], engines })).not.toMatchObject({
      clusters: [{ engines: [{ down: true }] }],
    });
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
