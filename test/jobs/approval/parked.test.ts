import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { OperatorError } from '../../../src/errors.ts';
import { openApprovals } from '../../../src/jobs/approval/answer.ts';
import type { Say } from '../../../src/jobs/approval/approval.ts';
import { openCancel } from '../../../src/jobs/cancel.ts';
import type { Config } from '../../../src/config/config.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { approval } from '../../../src/jobs/phases/approval.ts';
import { enqueue, openDeployQueue, wake, type DeployQueue } from '../../../src/jobs/queue.ts';
import { ended } from '../../../src/jobs/run/record-changes.ts';
import { leaveSample } from '../../../src/jobs/samples.ts';
import { startDeployWorker } from '../../../src/jobs/worker.ts';
import { now, openBench, operator, silent, type Bench } from '../support/bench.ts';
import { literalConfig } from '../support/config.ts';
import { literalMachine, type LiteralMachine } from '../support/machine.ts';
import { fenceNodes } from '../support/nodes.ts';
import { literalPlan } from '../support/plan.ts';
import { scripted, type Script } from '../support/scripted.ts';
import { runnerParts, TIMEOUTS } from '../support/runner.ts';

const OLD = 'bbbbbbbbbb';
const NEW = 'aaaaaaaaaa';
const approver = { team: 'T1', user: 'U0APPROVER', name: 'Approver' };
const owner = { team: 'T1', user: 'U0OWNER', name: 'Owner' };
const hold = { by: owner, name: 'Owner', reason: 'eval run', until: '2099-01-01T00:00:00.000Z' };

let bench: Bench;
let queue: DeployQueue;
let machine: LiteralMachine;
let script: Script;
let config: Config;
let running: number;
let looks: number;
const workers: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 140);
  config = literalConfig();
  machine = literalMachine();
  machine.containers = [{ name: `sparkops-${OLD}-spark1`, uid: OLD, number: 141, recipe: 'qwen35' }];
  running = 0;
  looks = 0;
  script = scripted(['preflight', 'stop-previous', 'serve']);
  script.on['preflight look'] = (ctx) =>
    ctx.keep({ found: [{ uid: OLD, number: 141, recipe: 'qwen35', wayBack: { proven: true, text: '' } }] });
  script.phases.splice(1, 0, approval);
  await serveOld();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

async function serveOld(): Promise<void> {
  await bench.admit(OLD);
  await bench.journal.change(OLD, (record) => ended({ ...record, owner: ownerOf() }, 'serving', now()));
}

function ownerOf() {
  return { team: owner.team, user: owner.user };
}

function work() {
  const fences = fenceNodes();
  const worker = startDeployWorker({
    runner: {
      ...runnerParts(bench, () => script),
      config: async () => config,
      look: async () => {
        looks += 1;
        await leaveSample(bench.store, OLD, { at: Date.now(), running, waiting: 0, tokens: 5, requests: 9, watts: 40 });
        return { kind: 'status', clusters: [] };
      },
      transport: async () => ({
        ...machine.transport,
        exec: (node, command, options) =>
          // A raise has more words than any reading program.
          (command.kind === 'exec' && command.words.length > 8 ? fences : machine).transport.exec(
            node,
            command,
            options,
          ),
      }),
    },
    blocking: bench.blocking,
    timeouts: TIMEOUTS,
    log: silent,
  });
  workers.push(worker);
  return worker;
}

function people() {
  const parts = { store: bench.store, journal: bench.journal, config: async () => config, now };
  const wakeIt = (job: string) => wake(queue, job);
  return { ...openApprovals({ ...parts, wake: wakeIt }), cancel: openCancel({ ...parts, wake: wakeIt }) };
}

const say = (what: Say, by = approver) => people().decide({ number: 142, say: what, by });
const record = async (uid = NEW): Promise<Deployment> => {
  const found = (await bench.journal.find(uid))?.record;
  if (!found) throw new Error(`no record ${uid}`);
  return found;
};
const until = (state: string, uid = NEW) =>
  vi.waitFor(async () => expect((await record(uid)).state).toBe(state), { timeout: 8_000, interval: 20 });

async function deploy(): Promise<void> {
  const plan = literalPlan(NEW, { phases: ['preflight', 'approval', 'stop-previous', 'serve'] });
  const admitted = await bench.admit(NEW, plan);
  if (admitted.outcome !== 'admitted') throw new Error(admitted.outcome);
  await enqueue(queue, NEW, admitted.job, 1_000);
}

async function asked(): Promise<void> {
  work();
  await deploy();
  await until('waiting-approval');
}

const refused = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was taken',
    (error: unknown) => (error instanceof OperatorError ? error.message : String(error)),
  );

describe('while people decide', () => {
  test('the request says what is interrupted, whose it is and what it does', async () => {
    running = 3;
    await asked();
    const { approval: request } = await record();
    expect(request).toMatchObject({
      id: 1,
      action: 'deploy',
      by: { user: operator.user },
      facts: { interrupts: [{ uid: OLD, number: 141, owner: { user: owner.user }, running: 3, state: 'ok' }] },
    });
    expect(script.calls).toEqual(['preflight look']);
  });

  test('the claim is kept, no lease is held, no job is active and no node is looked at', async () => {
    await asked();
    await vi.waitFor(async () => expect(await queue.getDelayedCount()).toBe(1));
    expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBe(NEW);
    const ran = machine.ran.length;
    const lookedAt = looks;
    // Long enough for several wake-ups.
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await bench.store.redis.exists(bench.store.keys.lease('spark'))).toBe(0);
    expect([machine.ran.length, looks]).toEqual([ran, lookedAt]);
    expect((await record()).state).toBe('waiting-approval');
  });
});

describe('approved', () => {
  test('it goes on within a second, and what it replaced says so', async () => {
    await asked();
    await say({ kind: 'approve', when: 'now' });
    const began = performance.now();
    await until('serving');
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(await record(OLD)).toMatchObject({ state: 'replaced', replacedBy: 142 });
    expect((await record()).replaces).toEqual([{ uid: OLD, number: 141, recipe: 'qwen35' }]);
    expect(await bench.store.redis.zrange(bench.store.keys.serving('spark'), 0, '-1')).toEqual([NEW]);
  });

  test('of two decisions at once one stands', async () => {
    await asked();
    const answers = await Promise.all([
      refused(say({ kind: 'approve', when: 'now' })),
      refused(say({ kind: 'deny' }, owner)),
      refused(say({ kind: 'approve', when: 'now' }, { ...approver, user: 'U0SECOND' })),
    ]);
    expect(answers.filter((answer) => answer === 'it was taken')).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('It is decided already'))).toHaveLength(2);
  });

  test('when idle: waits as long as requests run', async () => {
    running = 2;
    await asked();
    await say({ kind: 'approve', when: 'idle' });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(2));
    expect((await record()).state).toBe('waiting-approval');
    running = 0;
    await until('serving');
  });

  test('when idle, and it never is: it ends with nothing done', async () => {
    running = 2;
    config = {
      ...config,
      sparkops: { ...config.sparkops, approvals: { ...config.sparkops.approvals, idle_limit: 300 } },
    };
    await asked();
    await say({ kind: 'approve', when: 'idle' });
    await until('expired');
    expect((await record()).cause?.text).toContain('never idle');
    expect((await record(OLD)).state).toBe('serving');
  });

  test('all processes end and others start: it goes on', async () => {
    await asked();
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await say({ kind: 'approve', when: 'now' });
    expect((await record()).state).toBe('waiting-approval');
    work();
    await until('serving');
  });
});

describe('not approved', () => {
  test.each<[string, Say, typeof approver, string]>([
    ['denied', { kind: 'deny', why: 'not now' }, approver, 'denied'],
    ['withdrawn', { kind: 'withdraw' }, operator, 'cancelled'],
    ['its owner objects', { kind: 'object', why: 'eval at 80 %' }, owner, 'void'],
  ])('%s: it ends at once, the claim is free and the other one serves', async (_, what, by, state) => {
    await asked();
    await say(what, by);
    expect((await record()).state).toBe(state);
    expect(await bench.store.redis.exists(bench.store.keys.claim('spark'))).toBe(0);
    expect((await record(OLD)).state).toBe('serving');
    expect(script.calls).toEqual(['preflight look']);
  });

  test('in time: it expires', async () => {
    config = { ...config, sparkops: { ...config.sparkops, approvals: { ...config.sparkops.approvals, expires: 300 } } };
    await asked();
    await until('expired');
    expect((await record()).cause?.text).toContain('Nobody decided in time');
  });

  test('in time, and the policy says that it goes ahead then', async () => {
    const approvals = { ...config.sparkops.approvals, expires: 300, on_expiry: 'proceed' as const };
    config = { ...config, sparkops: { ...config.sparkops, approvals } };
    await asked();
    await until('serving');
    expect((await record()).approval?.decision).toMatchObject({ kind: 'approved', by: [] });
  });

  test('a cancel ends it', async () => {
    await asked();
    await people().cancel({ number: 142, by: operator, surface: 'test', view: {} });
    await until('cancelled');
    expect((await record()).approval?.decision).toMatchObject({ kind: 'withdrawn' });
  });
});

describe('before the point of no return everything is looked at again', () => {
  const void_ = async (change: () => Promise<void> | void): Promise<string | undefined> => {
    await asked();
    await change();
    await say({ kind: 'approve', when: 'now' });
    await until('void');
    expect(script.calls).toEqual(['preflight look']);
    return (await record()).cause?.text;
  };

  test('requests came where there were none', async () => {
    expect(await void_(() => void (running = 12))).toContain('qwen35 has requests by now, and had none');
  });

  test('another model serves', async () => {
    const change = () => {
      machine.containers = [{ name: 'sparkops-cccccccccc-spark1', uid: 'cccccccccc' }];
    };
    expect(await void_(change)).toContain('serves by now');
  });

  test('it has another owner', async () => {
    const change = async () => {
      await bench.journal.change(OLD, (old) => ({ record: { ...old, owner: { team: 'T1', user: 'U0SECOND' } } }));
    };
    expect(await void_(change)).toContain('has another owner by now');
  });

  test('somebody holds the cluster', async () => {
    const change = async () => {
      await bench.store.redis.set(
        bench.store.keys.hold('spark'),
        JSON.stringify({ ...hold, at: new Date().toISOString() }),
      );
    };
    expect(await void_(change)).toContain('Owner holds the cluster by now: eval run');
  });

  test('everything is frozen', async () => {
    const change = async () => {
      await bench.store.redis.set(bench.store.keys.freeze, JSON.stringify({ ...hold, at: new Date().toISOString() }));
    };
    expect(await void_(change)).toContain('everything is frozen by now');
  });

  test('its owner objects to what was approved when idle', async () => {
    running = 2;
    await asked();
    await say({ kind: 'approve', when: 'idle' });
    await say({ kind: 'object' }, owner);
    expect((await record()).state).toBe('void');
  });
});

describe("a cancel of somebody else's attempt past the point of no return", () => {
  async function servingLater(): Promise<() => void> {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    script.on['serve look'] = async ({ signal }) => {
      await Promise.race([
        held,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
    };
    await asked();
    await say({ kind: 'approve', when: 'now' });
    await vi.waitFor(async () => expect((await record()).phase).toBe('serve'), { timeout: 8_000 });
    return goOn;
  }

  test('asks for approval while the attempt goes on, and cancels once it is given', async () => {
    await servingLater();
    const {
      state,
      approval: request,
      cancelAsked,
    } = await people().cancel({ number: 142, by: owner, surface: 'test', view: {} });
    expect([state, request?.action, request?.id, cancelAsked]).toEqual(['running', 'cancel', 2, undefined]);
    await say({ kind: 'approve', when: 'now' });
    await until('cancelled');
  });

  test('is void when the attempt ends first', async () => {
    const goOn = await servingLater();
    await people().cancel({ number: 142, by: owner, surface: 'test', view: {} });
    goOn();
    await until('serving');
    expect((await record()).approval?.decision).toMatchObject({ kind: 'void' });
    expect(await refused(say({ kind: 'approve', when: 'now' }))).toContain('It is decided already: void');
  });
});
