import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load-config.ts';
import { OperatorError } from '../../src/errors.ts';
import { createJobs, type JobsParts } from '../../src/jobs/create-jobs.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { openLookQueue, startLookWorker, type Look } from '../../src/jobs/looks/look-queue.ts';
import { runLook } from '../../src/jobs/looks/run-look.ts';
import { openDeployQueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalMachine, type LiteralMachine } from './support/machine.ts';

const configFolder = fileURLToPath(new URL('../../config', import.meta.url));
const config = () => readConfig(configFolder);
const asker = { by: operator, surface: 'test', view: { channel: 'C1' } };

let bench: Bench;
let queue: DeployQueue;
let machine: LiteralMachine;
let jobs: Jobs;

const look: Look = (request) => runLook({ config, transports: openTransports(() => machine.transport), now }, request);

function open(change: Pick<Partial<JobsParts>, 'look' | 'config' | 'lastConfig'> = {}): Jobs {
  return createJobs({
    store: bench.store,
    journal: bench.journal,
    changes: bench.changes,
    queue,
    config,
    look,
    sparkopsVersion: '0.1.0',
    now: () => new Date('2026-12-01T14:02:30Z'),
    log: silent,
    ...change,
  });
}

beforeAll(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
  machine = literalMachine();
  jobs = open();
});

const deploy = () => jobs.deploy({ recipe: 'qwen35', overrides: {}, ...asker });

async function end(state: 'serving' | 'failed'): Promise<string> {
  const { uid } = await deploy();
  await bench.journal.change(uid, (record) => ({ record: { ...record, state, endedAt: '2026-12-01T14:10:00.000Z' } }));
  return uid;
}

test('while the configuration is broken nothing new is deployed, and what is there is looked at, cancelled and stopped', async () => {
  const broken = new OperatorError('config', 'The configuration has 2 problems.', { hint: 'Mend them.' });
  const { number } = await deploy();
  jobs = open({ config: () => Promise.reject(broken), lastConfig: config });
  await expect(deploy()).rejects.toBe(broken);
  expect(await jobs.status({ cluster: 'spark' })).toMatchObject([{ cluster: 'spark', busy: { number } }]);
  expect(await jobs.cancel({ cluster: 'spark', ...asker })).toMatchObject({ number });
  await expect(jobs.stop({ cluster: 'spark', ...asker })).rejects.toMatchObject({ code: 'busy' });
});

describe('deploy', () => {
  test('renders the plan of the configuration as it is now, and queues it', async () => {
    const record = await deploy();
    expect(record).toMatchObject({ number: 142, cluster: 'spark', recipe: 'qwen35', state: 'queued' });
    expect(record.revision).toMatch(/^[0-9a-f]{8}$/);
    expect(record.uid).toMatch(/^[a-z][a-z0-9]{9}$/);
    expect(await queue.getJob(`d-${record.uid}-1`)).toBeDefined();
    expect(await jobs.find(record.uid)).toEqual(record);
    expect(await jobs.view(record.uid, 'test').load()).toEqual({ channel: 'C1' });
  });

  test('is refused while another one runs: and says who has the cluster', async () => {
    const { uid } = await deploy();
    await expect(deploy()).rejects.toMatchObject({
      code: 'busy',
      message: 'Not started: spark is busy with #142 qwen35: queued. Nothing was changed.',
      hint: 'Wait until it ends, or cancel it: cancel 142',
    });
    await bench.journal.change(uid, (record) => ({
      record: {
        ...record,
        state: 'running',
        phase: 'load',
        phases: record.phases.map((phase) =>
          phase.name === 'load' ? { ...phase, startedAt: '2026-12-01T14:09:00.000Z' } : phase,
        ),
      },
    }));
    await expect(deploy()).rejects.toMatchObject({
      message: 'Not started: spark is busy with #142 qwen35: running, phase load. Nothing was changed.',
      holder: { number: 142, phase: 'load', by: { user: 'U0OPERATOR' } },
    });
  });

  test('is admitted while a model serves: it asks before it touches that', async () => {
    await end('serving');
    expect(await deploy()).toMatchObject({ number: 143, state: 'queued', action: 'deploy' });
  });

  test('waits for the counter for a moment, and asks the workers for it', async () => {
    await bench.store.redis.del(bench.store.keys.counter);
    const stop = bench.changes.onCounterWanted(() => void bench.store.redis.set(bench.store.keys.counter, 7));
    expect((await deploy()).number).toBe(8);
    stop();
  });

  test('is refused within about 2 s when nobody sets it', async () => {
    await bench.store.redis.del(bench.store.keys.counter);
    const began = performance.now();
    await expect(deploy()).rejects.toMatchObject({ code: 'starting' });
    expect(performance.now() - began).toBeLessThan(2_500);
  });

  test('names what is wrong with its words', async () => {
    await expect(jobs.deploy({ recipe: 'qwen53', overrides: {}, ...asker })).rejects.toMatchObject({
      code: 'unknown-name',
    });
    await expect(jobs.deploy({ recipe: 'qwen35', overrides: { max_len: '1' }, ...asker })).rejects.toMatchObject({
      code: 'usage',
    });
  });
});

describe('stop', () => {
  test('runs on the deployment that serves', async () => {
    const uid = await end('serving');
    expect(await jobs.stop(asker)).toMatchObject({ uid, run: 'stop', state: 'queued' });
    expect(await queue.getJob(`d-${uid}-2`)).toBeDefined();
    await expect(jobs.stop(asker)).rejects.toThrow('is being stopped');
    await bench.journal.change(uid, (record) => ({ record: { ...record, pastReturnAt: record.createdAt } }));
    await expect(jobs.cancel({ ...asker, number: 142 })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('has nothing to do where nothing serves', async () => {
    await expect(jobs.stop(asker)).rejects.toMatchObject({ code: 'unknown-name', message: 'Nothing serves on spark.' });
    await deploy();
    await expect(jobs.stop(asker)).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('restart', () => {
  test("is the same plan again, as a new attempt that is still its owner's", async () => {
    const before = await deploy();
    await bench.journal.change(before.uid, (record) => ({
      record: {
        ...record,
        state: 'serving',
        endedAt: record.createdAt,
        owner: { team: 'T1', user: 'U0OWNER' },
        note: 'eval',
      },
    }));
    const again = await jobs.restart(asker);
    expect(again).toMatchObject({
      number: 143,
      action: 'restart',
      state: 'queued',
      owner: { user: 'U0OWNER' },
      by: { user: 'U0OPERATOR' },
      note: 'eval',
      revision: before.revision,
    });
    expect(again.uid).not.toBe(before.uid);
    expect(JSON.stringify(again.plan)).not.toContain(before.uid);
    expect(JSON.parse(JSON.stringify(again.plan).replaceAll(again.uid, before.uid))).toEqual(before.plan);
  });

  test('of what died, when nothing serves', async () => {
    const uid = await end('serving');
    await bench.journal.change(uid, (record) => ({ record: { ...record, state: 'died' } }));
    expect(await jobs.restart(asker)).toMatchObject({ number: 143, recipe: 'qwen35', action: 'restart' });
  });

  test('passes a hold: it heals', async () => {
    await end('serving');
    const hold = {
      by: { team: 'T1', user: 'U0OWNER' },
      name: 'Owner',
      reason: 'eval',
      at: '2026-12-01T14:00:00.000Z',
      until: '2099-01-01T00:00:00.000Z',
    };
    await bench.store.redis.set(bench.store.keys.hold('spark'), JSON.stringify(hold));
    await expect(deploy()).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('Owner holds spark'),
    });
    await expect(jobs.stop(asker)).rejects.toMatchObject({ message: expect.stringContaining('Owner holds spark') });
    expect(await jobs.restart(asker)).toMatchObject({ number: 143 });
  });

  test('says so where nothing has served', async () => {
    await expect(jobs.restart(asker)).rejects.toMatchObject({ message: 'Nothing has served on spark before.' });
    await end('failed');
    await expect(jobs.restart({ ...asker, number: 142 })).rejects.toMatchObject({
      message: '#142 is failed and never served, so there is nothing to restart.',
    });
    await expect(jobs.restart({ ...asker, number: 7 })).rejects.toMatchObject({
      message: 'There is no deployment #7.',
    });
  });
});

describe('rollback', () => {
  const DIGEST = 'image@sha256:0123456789abcdef';

  test('is what served before, with the image that served then', async () => {
    const first = await end('serving');
    await bench.journal.change(first, (record) => ({ record: { ...record, state: 'replaced', imageDigest: DIGEST } }));
    const second = await end('serving');
    const back = await jobs.rollback(asker);
    expect(back).toMatchObject({ number: 144, action: 'rollback', state: 'queued', plan: { image: DIGEST } });
    expect(back.plan.nodes.map(({ container }) => container.image)).toEqual([DIGEST, DIGEST]);
    expect([first, second]).not.toContain(back.uid);
  });

  test('passes over what failed, and takes a number', async () => {
    const first = await end('serving');
    await bench.journal.change(first, (record) => ({ record: { ...record, state: 'stopped' } }));
    await end('failed');
    expect(await jobs.rollback(asker)).toMatchObject({ number: 144, recipe: 'qwen35' });
    await jobs.cancel({ ...asker, number: 144 });
    await expect(jobs.rollback({ ...asker, number: 143 })).rejects.toMatchObject({
      message: '#143 is failed and never served, so there is nothing to bring back.',
    });
  });
});

describe('cancel', () => {
  test('is recorded once, by number or by cluster', async () => {
    const { uid } = await deploy();
    expect((await jobs.cancel({ ...asker, number: 142 })).cancelAsked?.by).toEqual({ team: 'T1', user: 'U0OPERATOR' });
    await jobs.cancel(asker);
    expect((await jobs.events(uid, 0)).map(({ kind }) => kind)).toEqual(['admitted', 'cancel-asked']);
  });

  test('has nothing to do when it has ended, or there is none', async () => {
    await expect(jobs.cancel(asker)).rejects.toMatchObject({ code: 'unknown-name' });
    await end('failed');
    await expect(jobs.cancel({ ...asker, number: 142 })).rejects.toMatchObject({
      code: 'conflict',
      message: '#142 is failed, so there is nothing to cancel.',
    });
    await expect(jobs.cancel({ ...asker, number: 9 })).rejects.toMatchObject({ code: 'unknown-name' });
  });
});

describe('status', () => {
  test('puts the word of the store beside that of the nodes', async () => {
    const uid = await end('serving');
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid }];
    machine.health = 200;
    const [spark] = await jobs.status({});
    expect(spark).toMatchObject({
      cluster: 'spark',
      serving: [{ uid, number: 142 }],
      engines: [{ uid, health: 'ok', text: 'answers on port 8000' }],
      nodes: [
        {
          node: 'spark1',
          role: 'head',
          gpu: 'GB10, 12 W, 41 °C, idle',
          containers: [{ deployment: uid, running: true, engine: true }],
        },
        { node: 'spark2', role: 'worker' },
      ],
    });
  });

  test('says which node could not be read', async () => {
    machine.away = true;
    const [spark] = await jobs.status({ cluster: 'spark' });
    expect(spark?.nodes[0]).toMatchObject({ node: 'spark1', containers: [], problem: 'spark1: no route' });
  });
});

describe('logs', () => {
  test("are the engine's file of what runs", async () => {
    const { uid } = await deploy();
    machine.answers['tail'] = { exitCode: 0, stdout: 'one\ntwo\nthree\n' };
    expect(await jobs.logs({ lines: 2 })).toEqual({
      cluster: 'spark',
      number: 142,
      node: 'spark1',
      source: 'the engine',
      lines: ['two', 'three'],
    });
    expect(machine.ran.at(-1)).toContain(`/runs/${uid}/serve.log`);
  });

  test('or what its container printed', async () => {
    const { uid } = await deploy();
    machine.answers['docker logs'] = { exitCode: 0, stdout: 'Ray runtime started.\n' };
    expect(await jobs.logs({ number: 142, node: 'spark2', lines: 5 })).toMatchObject({
      node: 'spark2',
      source: `container sparkops-${uid}-spark2`,
      lines: ['Ray runtime started.'],
    });
  });

  test('of what ended last, once nothing runs: the head keeps it', async () => {
    const uid = await end('failed');
    machine.answers['tail'] = { exitCode: 0, stdout: 'RuntimeError: no\n' };
    expect(await jobs.logs({ cluster: 'spark', lines: 5 })).toMatchObject({
      number: 142,
      node: 'spark1',
      source: 'the engine',
      lines: ['RuntimeError: no'],
    });
    expect(machine.ran.at(-1)).toContain(`/runs/${uid}/serve.log`);
  });

  test('that are not there: why', async () => {
    machine.answers['tail'] = { exitCode: 1, stdout: '' };
    machine.answers['docker logs'] = { exitCode: 1, stdout: '' };
    expect((await jobs.logs({ lines: 5 })).nothing).toBe('Nothing runs on spark, and no deployment is recorded.');
    await deploy();
    expect((await jobs.logs({ lines: 5 })).nothing).toBe('#142 has no log on spark1 yet: its engine is not started.');
    await bench.journal.change((await jobs.findByNumber(142))?.uid ?? '', (record) => ({
      record: { ...record, state: 'failed', endedAt: '2026-12-01T14:10:00.000Z' },
    }));
    expect((await jobs.logs({ number: 142, lines: 5 })).nothing).toMatch(
      /^#142 left no log on spark1: it ended before/,
    );
    expect((await jobs.logs({ number: 142, node: 'spark2', lines: 5 })).nothing).toBe(
      '#142 left no log on spark2: what is kept of it is on spark1.',
    );
  });

  test('of a node that is not there are refused', async () => {
    await expect(jobs.logs({ cluster: 'spark', node: 'spark9', lines: 5 })).rejects.toMatchObject({
      code: 'unknown-name',
      hint: 'It has: spark1, spark2.',
    });
  });
});

describe('history', () => {
  test('newest first, by cluster, person and age', async () => {
    await end('failed');
    await end('serving');
    const numbers = async (request: Partial<Parameters<Jobs['history']>[0]>) =>
      (await jobs.history({ limit: 10, ...request })).map(({ number }) => number);
    expect(await numbers({})).toEqual([143, 142]);
    expect(await numbers({ limit: 1 })).toEqual([143]);
    expect(await numbers({ cluster: 'spark', by: operator.user })).toEqual([143, 142]);
    expect(await numbers({ cluster: 'other' })).toEqual([]);
    expect(await numbers({ by: 'U0VIEWER001' })).toEqual([]);
    expect(await numbers({ since: '2026-12-01T15:00:00.000Z' })).toEqual([]);
  });

  test('a deploy keeps its owner, note and end', async () => {
    const until = '2026-12-01T18:00:00.000Z';
    const { uid } = await jobs.deploy({ recipe: 'qwen35', overrides: {}, until, note: 'eval run', ...asker });
    expect(await jobs.find(uid)).toMatchObject({ owner: { user: operator.user }, until, note: 'eval run' });
  });
});

describe('what would run, and what runs', () => {
  test('plan renders without a deploy', async () => {
    const { plan, text, revision } = await jobs.plan({ recipe: 'qwen35', overrides: { port: '8001' } });
    expect(plan).toMatchObject({ cluster: 'spark', port: 8001 });
    expect(text).toContain('serve, in the container on spark1');
    expect(revision).toMatch(/^[0-9a-f]{8}$/);
    expect(await jobs.history({ limit: 10 })).toEqual([]);
  });

  test('check needs a recipe where nothing was ever deployed', async () => {
    await expect(jobs.check({})).rejects.toMatchObject({ code: 'usage', hint: 'Name a recipe: check qwen35' });
    const { rows } = await jobs.check({ recipe: 'qwen35' });
    expect(rows).toContainEqual({ node: 'spark1', check: 'reach', state: 'ok', text: '10.1.230.180 answers' });
    expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBeNull();
  });

  test('bench needs a model that serves', async () => {
    await expect(jobs.bench({})).rejects.toMatchObject({ code: 'unknown-name' });
  });

  test('diagnose names the last error of the log', async () => {
    const uid = await end('serving');
    machine.containers = [{ name: `sparkops-${uid}-spark1`, uid }];
    machine.answers['tail'] = {
      exitCode: 0,
      stdout:
        'INFO 12-01 14:02:26 [x.py:1] fine\nERROR 12-01 14:02:27 [x.py:2] torch.OutOfMemoryError: CUDA out of memory\n',
    };
    expect(await jobs.diagnose({})).toMatchObject({
      status: { cluster: 'spark', engines: [{ health: 'refused' }] },
      record: { uid },
      log: { node: 'spark1', error: { text: 'torch.OutOfMemoryError: CUDA out of memory' }, quietSeconds: 3 },
    });
  });

  test('diagnose without a log says so', async () => {
    expect(await jobs.diagnose({ cluster: 'spark' })).toMatchObject({
      logProblem: expect.stringContaining('Nothing runs'),
    });
  });
});

describe('looks of a process that has no worker', () => {
  test('are done by one that has, errors included', async () => {
    const asked = openLookQueue({ realm: 'test', redis: bench.connect(), blocking: bench.blocking, log: silent });
    const worker = startLookWorker({ realm: 'test', blocking: bench.blocking, log: silent }, look);
    const remote = open({ look: asked.look });
    expect(await remote.status({})).toMatchObject([
      { cluster: 'spark', nodes: [{ node: 'spark1' }, { node: 'spark2' }] },
    ]);
    await expect(remote.logs({ node: 'spark9', lines: 3 })).rejects.toMatchObject({ code: 'unknown-name' });
    await asked.close();
    await worker.close();
  });
});

describe('presenting', () => {
  test('one presenter per deployment, as long as it renews', async () => {
    const first = await jobs.present('aaaaaaaaaa', 'test');
    expect(await jobs.present('aaaaaaaaaa', 'test')).toBeUndefined();
    expect(await first?.renew()).toBe(true);
    await first?.release();
    const second = await jobs.present('aaaaaaaaaa', 'test');
    expect(second).toBeDefined();
    expect(await first?.renew()).toBe(false);
  });

  test('what is presented is forgotten once it has ended, and comes back with its next event', async () => {
    const { uid } = await deploy();
    await jobs.presented(uid, 'test');
    expect(await jobs.unpresented('test')).toEqual([uid]);
    await bench.journal.change(uid, (record) => ({ record: { ...record, state: 'serving' } }));
    await jobs.presented(uid, 'test');
    expect(await jobs.unpresented('test')).toEqual([]);
    await bench.journal.change(uid, (record) => ({
      record: { ...record, state: 'died' },
      event: { kind: 'ended', state: 'died' },
    }));
    expect(await jobs.unpresented('test')).toEqual([uid]);
  });

  test('once is once', async () => {
    expect(await jobs.once('envelope-1', 1_000)).toBe(true);
    expect(await jobs.once('envelope-1', 1_000)).toBe(false);
  });

  test('changes are told, to whoever listens', async () => {
    const told: string[] = [];
    const stop = jobs.onChange((uid) => told.push(uid));
    const { uid } = await deploy();
    await expect.poll(() => told).toEqual([uid]);
    stop();
  });
});
