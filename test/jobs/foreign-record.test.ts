import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/load-config.ts';
import { createJobs } from '../../src/jobs/create-jobs.ts';
import { enqueue, openDeployQueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { reconcile } from '../../src/jobs/reconcile/reconciler.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { startDeployWorker } from '../../src/jobs/worker.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';
import { literalMachine } from './support/machine.ts';
import { scripted, type Script } from './support/scripted.ts';
import { runnerParts, TIMEOUTS } from './support/runner.ts';

const uid = 'aaaaaaaaaa';
let bench: Bench;
let queue: DeployQueue;
let script: Script;
let worker: { stop: () => Promise<void> };
beforeEach(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
  script = scripted();
  worker = startDeployWorker({
    runner: runnerParts(bench, () => script),
    blocking: bench.blocking,
    timeouts: TIMEOUTS,
    log: silent,
  });
});
afterEach(async () => {
  await worker.stop();
  await bench.stop();
});

/** As a version of sparkops that does not exist yet writes it. */
async function rewrite(schema: number): Promise<string> {
  const { keys, redis } = bench.store;
  const json = JSON.stringify({ ...JSON.parse((await redis.hget(keys.record(uid), 'json')) ?? ''), schema });
  await redis.hset(keys.record(uid), 'json', json);
  return json;
}

function round(): Promise<void> {
  const parts = { store: bench.store, journal: bench.journal, queue, changes: bench.changes, now, log: silent };
  const transports = openTransports(() => literalMachine().transport);
  const config = async () => literalConfig();
  return reconcile({ ...parts, config, transports, everyMs: 10_000 }, new AbortController().signal, { counter: 0 });
}

test('a record of a schema that this version does not know is left alone, and run by a worker that does', async () => {
  const { keys, redis } = bench.store;
  const admitted = await bench.admit(uid);
  if (admitted.outcome !== 'admitted') throw new Error(admitted.outcome);
  const json = await rewrite(2);
  await enqueue(queue, uid, admitted.job, 1_000);

  await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(1), { timeout: 5_000 });
  for (let rounds = 0; rounds < 3; rounds++) await round();
  await delay(2_500);
  expect(await redis.hget(keys.record(uid), 'json')).toBe(json);
  expect(await redis.get(keys.claim('spark'))).toBe(uid);
  expect(await redis.exists(keys.lease('spark'))).toBe(0);
  expect(await queue.getJob(admitted.job)).toBeDefined();
  expect(script.calls).toEqual([]);

  await rewrite(1);
  await vi.waitFor(async () => expect((await bench.journal.find(uid))?.record.state).toBe('serving'), {
    timeout: 8_000,
  });
});

test("people can't cancel it from here, and are told why", async () => {
  await bench.admit(uid);
  await rewrite(2);
  const jobs = createJobs({
    store: bench.store,
    journal: bench.journal,
    changes: bench.changes,
    queue,
    config: () => readConfig(new URL('../../config', import.meta.url).pathname),
    look: async () => ({ kind: 'status', clusters: [] }),
    sparkopsVersion: '0.1.0',
    now,
    log: silent,
  });
  await expect(jobs.cancel({ number: 142, by: operator, surface: 'test', view: {} })).rejects.toMatchObject({
    code: 'conflict',
    message: '#142 was written by a newer sparkops, so this one does not touch it.',
  });
});
