import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDeployQueue, enqueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { createJournal } from '../../src/jobs/journal.ts';
import type { Runner } from '../../src/jobs/runner.ts';
import { openStore } from '../../src/jobs/store.ts';
import { startDeployWorker } from '../../src/jobs/worker.ts';
import { now, openBench, silent, type Bench } from './support/bench.ts';
import { gate, scripted, untilStopped, type Script } from './support/scripted.ts';
import { runnerParts, TIMEOUTS } from './support/runner.ts';

let bench: Bench;
let queue: DeployQueue;
const uid = 'aaaaaaaaaa';
const workers: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

function work(script: Script, change: Partial<Runner> = {}, blocking = bench.blocking) {
  const worker = startDeployWorker({
    runner: { ...runnerParts(bench, () => script), ...change },
    blocking,
    timeouts: TIMEOUTS,
    log: silent,
  });
  workers.push(worker);
  return worker;
}

async function deploy(): Promise<void> {
  const admitted = await bench.admit(uid);
  if (admitted.outcome !== 'admitted') throw new Error(admitted.outcome);
  await enqueue(queue, uid, admitted.job, 1_000);
}

const record = async () => (await bench.journal.find(uid))?.record;
const until = (state: string) =>
  vi.waitFor(async () => expect((await record())?.state).toBe(state), { timeout: 8_000 });

test('a queued deployment is run, and its job is removed', async () => {
  const script = scripted();
  work(script);
  await deploy();
  await until('serving');
  await vi.waitFor(async () => expect(await queue.getJob('d-aaaaaaaaaa-1')).toBeUndefined());
});

describe('a worker that is stopped', () => {
  test('hands its deployment over within the limit; the next one goes on at the phase, and it counts as no stall', async () => {
    const first = scripted();
    const loading = gate();
    first.on['load look'] = (ctx) => {
      loading.open();
      return untilStopped(ctx);
    };
    const worker = work(first);
    await deploy();
    await loading.opened;
    const second = scripted();
    const loadingAgain = gate();
    second.on['load look'] = () => loadingAgain.open();
    work(second);

    const began = performance.now();
    await worker.stop();
    await loadingAgain.opened;
    expect(performance.now() - began).toBeLessThan(2_500);
    await until('serving');
    expect(second.calls).toEqual(['load look']);
    expect(await record()).toMatchObject({ stalls: 0, number: 142 });
    expect((await bench.journal.events(uid, 0)).some(({ kind }) => kind === 'handover')).toBe(true);
  });
});

test('a run whose job comes again in the same process goes on as the one run that it is', async () => {
  const script = scripted();
  const loading = gate();
  const release = gate();
  script.on['load look'] = () => {
    loading.open();
    return release.opened;
  };
  work(script);
  await deploy();
  await loading.opened;
  // As after a stop of the event loop: the lock has run out, the job is given out again.
  await bench.store.redis.set('{sparkops:test}:deploys:d-aaaaaaaaaa-1:lock', 'someone');
  await bench.store.redis.pexpire('{sparkops:test}:deploys:d-aaaaaaaaaa-1:lock', 1);
  await vi.waitFor(async () => expect((await queue.getJob('d-aaaaaaaaaa-1'))?.stalledCounter).toBe(1), {
    timeout: 5_000,
  });
  release.open();
  await until('serving');
  expect(script.calls.filter((call) => call === 'load look')).toHaveLength(1);
  expect((await record())?.stalls).toBe(0);
});

test('a worker that is cut off from Redis loses its deployment to another one, and undoes nothing when it is back', async () => {
  const own = bench.connect();
  await new Promise((resolve) => own.once('ready', resolve));
  const queueConnection = bench.blocking();
  const cutStore = openStore('test', own);
  const first = scripted();
  const loading = gate();
  let told: unknown;
  first.on['load look'] = async (ctx) => {
    loading.open();
    await untilStopped(ctx).catch((error: unknown) => {
      told = error;
      throw error;
    });
  };
  work(first, { store: cutStore, journal: createJournal(cutStore, now) }, () => queueConnection);
  await deploy();
  await loading.opened;
  own.disconnect();
  queueConnection.disconnect();

  const second = scripted();
  work(second);
  await until('serving');
  expect(second.calls).toEqual(['load look']);
  expect(await record()).toMatchObject({ stalls: 1, phases: [{}, {}, {}, { attempts: 2 }] });

  await Promise.all([own.connect(), queueConnection.connect()]);
  await vi.waitFor(() => expect(String(told)).toContain('lease-lost'), { timeout: 3_000 });
  expect(first.calls.at(-1)).toBe('load look');
  expect((await record())?.state).toBe('serving');
});

test('after three such ends in one phase the deployment fails, and says so', async () => {
  const script = scripted();
  await bench.admit(uid);
  await bench.journal.change(uid, (old) => ({
    record: { ...old, state: 'running', phase: 'load', stalls: 2, stallsSeen: 0 },
  }));
  await enqueue(queue, uid, 'd-aaaaaaaaaa-1', 1_000);
  await bench.store.redis.hset('{sparkops:test}:deploys:d-aaaaaaaaaa-1', 'stc', 1);
  work(script);
  await until('failed');
  expect((await record())?.cause?.text).toBe('The process that ran it died 3 times in load');
});
