import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/load-config.ts';
import { createJobs } from '../../src/jobs/create-jobs.ts';
import { runLook } from '../../src/jobs/looks/run-look.ts';
import { openDeployQueue, enqueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { startReconciler } from '../../src/jobs/reconcile/reconciler.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { startDeployWorker } from '../../src/jobs/worker.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';
import { literalMachine } from './support/machine.ts';
import { fenceNodes, type FenceNodes } from './support/nodes.ts';
import { testRedis, type TestRedis } from '../support/redis.ts';
import { gate, scripted, type Script } from './support/scripted.ts';
import { literalPlan } from './support/plan.ts';
import type { PhaseContext } from '../../src/jobs/phases/phase.ts';
import { runnerParts, TIMEOUTS } from './support/runner.ts';

let redis: TestRedis;
let bench: Bench;
let queue: DeployQueue;
let nodes: FenceNodes;
let script: Script;
let stop: () => Promise<void>;
const uid = 'aaaaaaaaaa';

beforeEach(async () => {
  redis = await testRedis();
  bench = await openBench(redis);
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
  nodes = fenceNodes();
  script = scripted();
  const parts = { store: bench.store, journal: bench.journal, now, log: silent };
  const worker = startDeployWorker({
    runner: { ...runnerParts(bench, () => script), transport: async () => nodes.transport },
    blocking: bench.blocking,
    timeouts: { ...TIMEOUTS, lease: 900 },
    log: silent,
  });
  const reconciler = startReconciler({
    ...parts,
    queue,
    changes: bench.changes,
    config: async () => literalConfig(),
    transports: openTransports(() => serving().transport),
    everyMs: 300,
  });
  stop = async () => {
    await Promise.all([worker.stop(), reconciler.stop()]);
  };
});
afterEach(async () => {
  redis.goOn();
  await stop();
  await bench.stop();
});

/** A deploy whose phase `load` waits for the test. */
async function loading(): Promise<{ ctx: PhaseContext; release: () => void }> {
  const inside = gate();
  const release = gate();
  let found: PhaseContext | undefined;
  script.on['load look'] = async (ctx) => {
    found = ctx;
    inside.open();
    await release.opened;
  };
  const plan = literalPlan(uid);
  const admitted = await bench.admit(uid, {
    limits: { ...plan.limits, phases: { ...plan.limits.phases, load: 30_000 } },
  });
  if (admitted.outcome !== 'admitted') throw new Error(admitted.outcome);
  await enqueue(queue, uid, admitted.job, 1_000);
  await inside.opened;
  if (!found) throw new Error('no context');
  return { ctx: found, release: release.open };
}

const until = (state: string) =>
  vi.waitFor(async () => expect((await bench.journal.find(uid))?.record.state).toBe(state), {
    timeout: 8_000,
    interval: 100,
  });

async function notes(): Promise<string[]> {
  return (await bench.journal.events(uid, 0)).flatMap((event) => (event.kind === 'note' ? [event.text] : []));
}

describe('a running deploy', () => {
  test('goes on reading while Redis is killed and started again, and loses none of its words', async () => {
    const { ctx, release } = await loading();
    await ctx.note('info', 'before');
    await vi.waitFor(async () => expect(await notes()).toEqual(['before']));
    await redis.kill();
    await ctx.note('info', 'while it was away');
    release();
    await redis.startAgain();
    await until('serving');
    expect(await notes()).toEqual(['before', 'while it was away']);
    expect(script.calls.filter((call) => call === 'load look')).toHaveLength(1);
    expect(nodes.raised).toHaveLength(1);
  });

  test('starts no changing command while Redis is silent, and does when it is back', async () => {
    const { ctx, release } = await loading();
    redis.pause();
    const began = performance.now();
    let changed = false;
    // The lease is surely unknown after its whole life.
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(began + 900), { timeout: 2_000 });
    const change = ctx.machines[0].change({ kind: 'exec', words: ['docker', 'rm', '--force', 'x'] }).then(() => {
      changed = true;
    });
    await ctx.machines[0].read({ kind: 'exec', words: ['true'] });
    expect(changed).toBe(false);
    redis.goOn();
    await change;
    release();
    await until('serving');
  });
  test('puts its record, claim and fence back when Redis was emptied', async () => {
    const { ctx, release } = await loading();
    await bench.store.redis.flushall();
    await vi.waitFor(async () => expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBe(uid), {
      timeout: 3_000,
    });
    expect(await bench.admit('bbbbbbbbbb')).not.toMatchObject({ outcome: 'admitted' });
    await ctx.note('info', 'after');
    release();
    await until('serving');
    expect((await bench.journal.findByNumber(142))?.views).toEqual({ test: '{"channel":"C1"}' });
    expect(await notes()).toEqual(['after']);
    expect(await bench.store.redis.zrange(bench.store.keys.serving('spark'), 0, '-1')).toEqual([uid]);
  });
});

describe('a worker that is stopped while Redis is silent', () => {
  test('is done within its limit', async () => {
    await loading();
    redis.pause();
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(2_900);
  });
});

describe('what people ask while Redis is silent', () => {
  const configFolder = fileURLToPath(new URL('../../config', import.meta.url));
  const config = () => readConfig(configFolder);
  const asked = { by: operator, surface: 'test', view: {} };

  function jobs() {
    const transports = openTransports(() => literalMachine().transport);
    return createJobs({
      store: bench.store,
      journal: bench.journal,
      changes: bench.changes,
      queue,
      config,
      look: (request) => runLook({ config, transports, now }, request),
      sparkopsVersion: '0.1.0',
      now,
      log: silent,
    });
  }

  test('a deploy is refused within 2 s, and does not come true when Redis is back', async () => {
    redis.pause();
    const began = performance.now();
    await expect(jobs().deploy({ recipe: 'qwen35', overrides: {}, ...asked })).rejects.toMatchObject({
      code: 'store-away',
    });
    expect(performance.now() - began).toBeLessThan(2_000);
    redis.goOn();
    await vi.waitFor(async () => expect(await bench.store.redis.get(bench.store.keys.counter)).toBe('141'));
    expect(await bench.journal.live()).toEqual([]);
  });

  test('status still looks at the nodes, and says that the store is away', async () => {
    redis.pause();
    const [spark] = await jobs().status({});
    expect(spark).toMatchObject({ cluster: 'spark', serving: [], nodes: [{ node: 'spark1' }, { node: 'spark2' }] });
    expect(spark?.storeProblem).toContain('Models keep serving');
  });
});

/** What it has started is still there when it has ended. */
function serving() {
  const machine = literalMachine();
  machine.containers = [{ name: `sparkops-${uid}-spark1`, uid }];
  return machine;
}
