import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sshTransport } from '../../src/cluster/remote/ssh-transport.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { createJobs } from '../../src/jobs/create-jobs.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import type { Look } from '../../src/jobs/looks/look-queue.ts';
import { runLook } from '../../src/jobs/looks/run-look.ts';
import { PHASES } from '../../src/jobs/phases/all.ts';
import { openDeployQueue } from '../../src/jobs/queue.ts';
import { startWorker } from '../../src/jobs/start-worker.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { startWorkplace, type Workplace } from '../../src/local/workplace.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';

let place: Workplace;
let bench: Bench;
let jobs: Jobs;
let stop: () => Promise<void>;
const asked = { by: operator, surface: 'test', view: { channel: 'C1' } };

beforeEach(async () => {
  place = await startWorkplace({
    faults: [],
    timeouts: { lease: '3s', job_lock: '3s', stall_check: '1s', reconcile: '300ms' },
    loadSeconds: 0.5,
    log: () => undefined,
  });
  bench = await openBench({ url: place.redisUrl, stop: place.stop });
  await bench.store.redis.flushall();
  const config = () => readConfig(place.configFolder);
  const transports = openTransports((cluster) => sshTransport(cluster, { connectMs: 2_000 }));
  const queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  const look: Look = (request) => runLook({ config, transports, now }, request);
  const { store, journal, changes, blocking } = bench;
  const parts = { store, journal, changes, queue, config, look, now, log: silent };
  jobs = createJobs({ ...parts, sparkopsVersion: '0.1.0' });
  const worker = await startWorker({ ...parts, blocking, transports, phases: PHASES, secret: () => undefined });
  stop = async () => {
    await worker.stop();
    await transports.close();
    await bench.stop();
  };
});
afterEach(() => stop());

async function ended(uid: string, state: string) {
  await vi.waitFor(async () => expect((await jobs.find(uid))?.state).toBe(state), { timeout: 15_000, interval: 50 });
}

test(
  'deploys on two machines, is known again after the store was emptied, and stops',
  { timeout: 60_000 },
  async () => {
    const { uid, number } = await jobs.deploy({ recipe: 'qwen35', overrides: {}, ...asked });
    expect(number).toBe(1);
    await ended(uid, 'serving');

    const [status] = await jobs.status({});
    expect(status).toMatchObject({ serving: [{ uid }], engines: [{ uid, health: 'ok' }] });
    expect((await jobs.logs({ lines: 5 })).source).toBe('the engine');

    await bench.store.redis.flushall();
    await vi.waitFor(async () => expect((await jobs.find(uid))?.state).toBe('serving'), { timeout: 5_000 });

    await jobs.stop(asked);
    await vi.waitFor(async () => expect((await jobs.find(uid))?.state).toBe('waiting-approval'), { timeout: 10_000 });
    const approver = { team: 'T1', user: 'U0APPROVER', name: 'Approver' };
    await jobs.decide({ number: 1, say: { kind: 'approve', when: 'now' }, by: approver });
    await ended(uid, 'stopped');
    expect(place.sparks.containers('spark1')).toEqual([]);
    const again = await jobs.deploy({ recipe: 'qwen35', overrides: {}, ...asked });
    expect(again.number).toBe(2);
    await jobs.cancel({ ...asked, number: 2 });
    await ended(again.uid, 'cancelled');
    expect(place.sparks.containers('spark1')).toEqual([]);
  },
);
