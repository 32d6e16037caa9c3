import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run as command } from '../../src/cluster/remote/command.ts';
import { OperatorError } from '../../src/errors.ts';
import type { Journal } from '../../src/jobs/journal.ts';
import type { PhaseContext } from '../../src/jobs/phases/phase.ts';
import { runDeployment, type Runner, type RunRequest } from '../../src/jobs/runner.ts';
import { RunStopped } from '../../src/jobs/stop-reason.ts';
import { now, openBench, type Bench } from './support/bench.ts';
import { fenceNodes, type FenceNodes } from './support/nodes.ts';
import { literalPlan } from './support/plan.ts';
import { gate, scripted, untilStopped, type Script } from './support/scripted.ts';
import { runnerParts } from './support/runner.ts';

let bench: Bench;
let nodes: FenceNodes;
let script: Script;
const uid = 'aaaaaaaaaa';
const person = { team: 'T1', user: 'U0OPERATOR' };

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
  nodes = fenceNodes();
  script = scripted();
});
const endings: AbortController[] = [];
afterEach(() => {
  for (const ending of endings.splice(0)) ending.abort(new RunStopped({ why: 'handover', because: 'the test ends' }));
});

function runner(change: Partial<Runner> = {}): Runner {
  return {
    ...runnerParts(bench, () => script),
    transport: async () => nodes.transport,
    leaseMs: 900,
    newToken: randomUUID,
    ...change,
  };
}

function run(change: Partial<RunRequest> & { runner?: Partial<Runner> } = {}) {
  const ending = new AbortController();
  endings.push(ending);
  return runDeployment(runner(change.runner), { uid, stalls: 0, signal: ending.signal, ...change });
}

async function record() {
  const entry = await bench.journal.find(uid);
  if (!entry) throw new Error('no record');
  return entry.record;
}

async function events(): Promise<string[]> {
  return (await bench.journal.events(uid, 0)).map((event) => {
    if (event.kind === 'phase') return `${event.phase} ${event.state}`;
    if (event.kind === 'ended') return `ended ${event.state}`;
    if (event.kind === 'note') return `note ${event.text}`;
    return event.kind;
  });
}

test('a deploy runs look, act, look, and ends serving with the claim free', async () => {
  await bench.admit(uid);
  expect(await run()).toBe('ended');
  expect(script.calls).toEqual([
    'preflight look',
    'start-head look',
    'start-head act',
    'start-head look',
    'serve look',
    'serve act',
    'serve look',
    'load look',
  ]);
  expect(await events()).toEqual([
    'admitted',
    'preflight running',
    'preflight done',
    'start-head running',
    'start-head done',
    'serve running',
    'serve done',
    'load running',
    'load done',
    'ended serving',
  ]);
  const after = await record();
  expect(after).toMatchObject({ state: 'serving', phase: 'load', endpoint: 'http://10.1.230.180:8000' });
  expect(after.phases.every(({ state, startedAt, endedAt }) => state === 'done' && startedAt && endedAt)).toBe(true);
  expect(nodes.raised).toHaveLength(1);
  expect(await bench.store.redis.exists(bench.store.keys.claim('spark'), bench.store.keys.lease('spark'))).toBe(0);
  expect(await bench.store.redis.zrange(bench.store.keys.serving('spark'), 0, '-1')).toEqual([uid]);
});

describe('failed', () => {
  test('writes aborting with the cause first, undoes newest first, then the end', async () => {
    await bench.admit(uid);
    let during = '';
    script.on['load look'] = () => {
      throw new OperatorError('command-failed', 'The engine died', {
        hint: 'Lower it.',
        lines: ['OOM'],
        node: 'spark1',
      });
    };
    script.on['serve undo'] = async () => {
      during = (await record()).state;
    };
    expect(await run()).toBe('ended');
    expect(during).toBe('aborting');
    expect(script.calls.filter((call) => call.endsWith('undo'))).toEqual(['serve undo', 'start-head undo']);
    expect((await events()).slice(-4)).toEqual(['aborting', 'serve undone', 'start-head undone', 'ended failed']);
    expect(await record()).toMatchObject({
      state: 'failed',
      cause: { text: 'The engine died', node: 'spark1', lines: ['OOM'] },
      remedy: 'Lower it.',
      phases: [{ state: 'done' }, { state: 'undone' }, { state: 'undone' }, { name: 'load', state: 'failed' }],
    });
    expect(await bench.store.redis.get(bench.store.keys.claim('spark'))).toBeNull();
  });

  test('a blocked verdict is its cause', async () => {
    await bench.admit(uid);
    script.phases[0] = {
      name: 'preflight',
      look: async () => ({
        state: 'blocked',
        finding: { text: 'No image', node: 'spark2', lines: [], remedy: 'Pull it.' },
      }),
    };
    expect(await run()).toBe('ended');
    expect(await record()).toMatchObject({
      state: 'failed',
      cause: { text: 'No image', node: 'spark2' },
      remedy: 'Pull it.',
    });
  });

  test('at its limit a phase is named with the limit and what was seen last', async () => {
    const plan = literalPlan(uid);
    const limits = { ...plan.limits, phases: { ...plan.limits.phases, load: 300 } };
    await bench.admit(uid, { limits });
    script.on['load look'] = async (ctx) => {
      await ctx.progress({ stage: 'weights', done: 3, total: 39 });
      await new Promise(() => undefined);
    };
    expect(await run()).toBe('ended');
    expect((await record()).cause?.text).toBe(
      'load was not done within its limit of 0.3 s. Last seen: weights 3 of 39',
    );
    expect((await record()).remedy).toContain('timeouts.load');
  });

  test('an undo that fails or hangs is noted and passed over; the first error is told', async () => {
    await bench.admit(uid);
    script.on['load look'] = () => {
      throw new OperatorError('command-failed', 'The engine died', { hint: '' });
    };
    script.on['serve undo'] = () => new Promise(() => undefined);
    expect(await run()).toBe('ended');
    expect(await events()).toContain(
      'note What serve started could not be removed: undoing serve took longer than 0.4 s',
    );
    expect(await record()).toMatchObject({ state: 'failed', cause: { text: 'The engine died' } });
    expect(script.calls.at(-1)).toBe('start-head undo');
  });

  test('a bug is told with a reference, its stack stays in the log', async () => {
    await bench.admit(uid);
    script.on['load look'] = () => {
      throw new TypeError('x is undefined');
    };
    expect(await run()).toBe('ended');
    expect((await record()).cause?.text).toMatch(/^Something broke in the bot \(ref [0-9a-f]{4}\)\.$/);
  });
});

describe('cancelled', () => {
  test('by anyone, in any process: stops the phase at once, undoes, and says who', async () => {
    await bench.admit(uid);
    const loading = gate();
    script.on['load look'] = (ctx) => {
      loading.open();
      return untilStopped(ctx);
    };
    const running = run();
    await loading.opened;
    await bench.journal.change(uid, (old) => ({
      record: { ...old, cancelAsked: { by: person, at: now().toISOString() } },
      event: { kind: 'cancel-asked', by: person },
    }));
    expect(await running).toBe('ended');
    expect(await record()).toMatchObject({ state: 'cancelled', aborting: { to: 'cancelled', by: person } });
    expect((await record()).cause).toBeUndefined();
    expect(script.calls.slice(-2)).toEqual(['serve undo', 'start-head undo']);
  });

  test('in a command that has not begun on its node: a higher fence refuses it before anything is undone', async () => {
    await bench.admit(uid);
    const starting = gate();
    script.on['start-head act'] = (ctx) => {
      starting.open();
      return untilStopped(ctx);
    };
    let raisedBefore: string[] = [];
    script.on['start-head undo'] = async ({ machines: [head] }) => {
      raisedBefore = [...nodes.raised];
      await head.change(command('docker', 'rm', 'x'));
    };
    const running = run();
    await starting.opened;
    await bench.journal.change(uid, (old) => ({ record: { ...old, cancelAsked: { by: person, at: '' } } }));
    expect(await running).toBe('ended');
    const [first, second] = raisedBefore.map((line) => line.split(' '));
    expect(Number(second?.[1])).toBe(Number(first?.[1]) + 1);
    expect(nodes.changed.at(-1)).toContain(` ${second?.[1]} ${second?.[2]} -- `);
    expect(await record()).toMatchObject({ state: 'cancelled', phases: [{}, { state: 'undone' }, {}, {}] });
  });

  test('after the store has forgotten that a phase had begun: what this process did is undone all the same', async () => {
    await bench.admit(uid);
    const { redis, keys } = bench.store;
    let before = '';
    script.on['preflight look'] = async () => {
      before = (await redis.hget(keys.record(uid), 'json')) ?? '';
    };
    const starting = gate();
    script.on['start-head act'] = (ctx) => {
      starting.open();
      return untilStopped(ctx);
    };
    const running = run();
    await starting.opened;
    await redis.hset(keys.record(uid), 'json', before);
    await bench.journal.change(uid, (old) => ({ record: { ...old, cancelAsked: { by: person, at: '' } } }));
    expect(await running).toBe('ended');
    expect(script.calls.at(-1)).toBe('start-head undo');
    expect(nodes.raised).toEqual([expect.stringMatching(/^spark1 1 /), expect.stringMatching(/^spark1 2 /)]);
    expect(await record()).toMatchObject({ state: 'cancelled', phases: [{}, { state: 'undone' }, {}, {}] });
  });

  test('while a node is away: its undo waits for it, and goes on when it is back', async () => {
    await bench.admit(uid);
    const loading = gate();
    script.on['load look'] = (ctx) => {
      loading.open();
      return untilStopped(ctx);
    };
    const tries: string[] = [];
    script.on['start-head undo'] = async ({ machines: [head] }) => {
      tries.push(nodes.answers[0] ?? 'written');
      await head.change(command('docker', 'rm', 'x'));
    };
    const running = run();
    await loading.opened;
    // At the abort, for the undo of serve and for the first try of start-head's.
    nodes.answers = ['unwritable', 'unwritable', 'unwritable'];
    await bench.journal.change(uid, (old) => ({ record: { ...old, cancelAsked: { by: person, at: '' } } }));
    expect(await running).toBe('ended');
    expect(tries).toHaveLength(2);
    expect(await record()).toMatchObject({ state: 'cancelled', phases: [{}, { state: 'undone' }, {}, {}] });
  });

  test('before it began: nothing is done, and nothing that an older process sent can begin any more', async () => {
    await bench.admit(uid);
    await bench.journal.change(uid, (old) => ({ record: { ...old, cancelAsked: { by: person, at: '' } } }));
    expect(await run()).toBe('ended');
    expect(script.calls).toEqual([]);
    expect(nodes.raised).toEqual([expect.stringMatching(/^spark1 1 /)]);
    expect(nodes.changed).toEqual([]);
    expect((await record()).state).toBe('cancelled');
  });
});

describe('lease lost', () => {
  test('a takeover stops the other run, which undoes nothing, and begins at the recorded phase', async () => {
    await bench.admit(uid);
    const loading = gate();
    script.on['load look'] = (ctx) => {
      loading.open();
      return untilStopped(ctx);
    };
    const first = run();
    await loading.opened;

    const other = scripted();
    const second = run({ stalls: 1, runner: { phasesOf: () => other.phases } });
    expect(await first).toBe('lease-lost');
    expect(await second).toBe('ended');
    expect(script.calls.some((call) => call.endsWith('undo'))).toBe(false);
    expect(other.calls).toEqual(['load look']);
    expect(await record()).toMatchObject({ state: 'serving', stalls: 1, phases: [{}, {}, {}, { attempts: 2 }] });
    const [one, two] = nodes.raised.map((line) => line.split(' '));
    expect([one?.[1], two?.[1]]).toEqual(['1', '2']);
    expect(one?.[2]).not.toBe(two?.[2]);
  });

  test('a node that has seen a newer fence ends the run the same way', async () => {
    await bench.admit(uid);
    script.on['start-head act'] = () => {
      throw new OperatorError('stale-fence', 'spark1: a newer process holds the fence', { hint: '' });
    };
    expect(await run()).toBe('lease-lost');
    expect(script.calls.at(-1)).toBe('start-head act');
    expect((await record()).state).toBe('running');
  });

  test('a takeover of an aborting record only undoes', async () => {
    await bench.admit(uid);
    await bench.journal.change(uid, (old) => ({
      record: {
        ...old,
        state: 'aborting',
        aborting: { to: 'failed' },
        phase: 'serve',
        cause: { text: 'It died', lines: [] },
        phases: old.phases.map((phase) => (phase.name === 'load' ? phase : { ...phase, state: 'done' as const })),
      },
    }));
    expect(await run()).toBe('ended');
    expect(script.calls).toEqual(['serve undo', 'start-head undo']);
    expect(await record()).toMatchObject({ state: 'failed', cause: { text: 'It died' } });
  });
});

test('a hand-over undoes nothing, keeps the phase and frees the lease at once', async () => {
  await bench.admit(uid);
  const loading = gate();
  script.on['load look'] = (ctx) => {
    loading.open();
    return untilStopped(ctx);
  };
  const ending = new AbortController();
  const running = run({ signal: ending.signal });
  await loading.opened;
  ending.abort(new RunStopped({ why: 'handover', because: 'The process is stopped' }));
  expect(await running).toBe('handover');
  expect(await events()).toContain('handover');
  expect(await record()).toMatchObject({ state: 'running', phase: 'load', stalls: 0 });
  expect(await bench.store.redis.exists(bench.store.keys.lease('spark'))).toBe(0);
  expect(script.calls.some((call) => call.endsWith('undo'))).toBe(false);
});

describe('unknown', () => {
  test('a node that went away is looked at again', async () => {
    await bench.admit(uid);
    let times = 0;
    script.on['start-head act'] = () => {
      times += 1;
      if (times === 1) throw new OperatorError('outcome-unknown', 'spark1: the connection went', { hint: '' });
    };
    expect(await run()).toBe('ended');
    expect((await record()).state).toBe('serving');
    expect(script.calls.filter((call) => call.startsWith('start-head'))).toEqual([
      'start-head look',
      'start-head act',
      'start-head look',
      'start-head act',
      'start-head look',
    ]);
  });

  test('until the limit, which then names it', async () => {
    const plan = literalPlan(uid);
    const limits = { ...plan.limits, phases: { ...plan.limits.phases, load: 400 } };
    await bench.admit(uid, { limits });
    script.on['load look'] = () => {
      throw new OperatorError('unreachable', 'spark1: no route', {
        hint: 'Look at its cable.',
        node: 'spark1',
        lines: ['enp1s0f0np0: link is down'],
      });
    };
    expect(await run()).toBe('ended');
    expect((await record()).cause).toEqual({
      text: 'load was not done within its limit of 0.4 s. Last seen: spark1: no route',
      short: 'load took longer than 0.4 s',
      node: 'spark1',
      lines: ['enp1s0f0np0: link is down'],
    });
  });

  test('a wrong host key is no such case', async () => {
    await bench.admit(uid);
    script.on['load look'] = () => {
      throw new OperatorError('host-key', 'spark1: another key', { hint: 'Compare.' });
    };
    expect(await run()).toBe('ended');
    expect(script.calls.filter((call) => call === 'load look')).toHaveLength(1);
  });
});

describe('raising', () => {
  test('a node that has seen a higher fence is outbid, on all nodes', async () => {
    await bench.admit(uid);
    nodes.answers = ['higher 41', 'equal 43'];
    expect(await run()).toBe('ended');
    expect(nodes.raised.map((line) => line.split(' ')[1])).toEqual(['1', '42', '44']);
    expect(await bench.store.redis.get(bench.store.keys.fence('spark'))).toBe('44');
  });

  test('a node that cannot be raised is for preflight to show, beside the others', async () => {
    await bench.admit(uid);
    nodes.answers = ['no-flock'];
    let problem = '';
    script.on['preflight look'] = ({ machines }) => {
      problem = machines[0].raiseProblem?.text ?? '';
    };
    expect(await run()).toBe('ended');
    expect(problem).toBe('spark1: it has no flock');
  });

  test('past preflight nothing goes on before every node is raised', async () => {
    await bench.admit(uid);
    await bench.journal.change(uid, (old) => ({
      record: {
        ...old,
        state: 'running',
        phase: 'start-head',
        phases: old.phases.map((phase, at) => (at === 0 ? { ...phase, state: 'done' as const } : phase)),
      },
    }));
    nodes.answers = ['no-flock', 'no-flock', 'written'];
    expect(await run()).toBe('ended');
    expect(nodes.raised).toHaveLength(3);
    expect(script.calls[0]).toBe('start-head look');
  });
});

describe('a node that has seen a newer attempt', () => {
  beforeEach(async () => {
    await bench.admit(uid);
    nodes.answers = ['newer 143'];
  });

  async function expectGivenUp(): Promise<void> {
    expect(await record()).toMatchObject({
      state: 'failed',
      replacedBy: 143,
      cause: {
        text: '#143 has acted on spark1 since: this record of #142 is older than the nodes, because the store was restored from before',
        short: '#143 has acted on spark1 since',
        node: 'spark1',
      },
      remedy: 'See what serves now: status spark. Then deploy again.',
    });
    const { redis, keys } = bench.store;
    expect(await redis.exists(keys.claim('spark'), keys.lease('spark'), keys.memory)).toBe(0);
    expect(await redis.get(keys.counter)).toBe('143');
    expect(nodes.raised).toHaveLength(1);
    expect(nodes.changed).toEqual([]);
  }

  test.each(['preflight', 'start-head'] as const)('ends a run in %s, and nothing is undone', async (phase) => {
    await bench.store.redis.set(bench.store.keys.memory, 'before');
    const done = phase === 'preflight' ? [] : ['preflight'];
    await bench.journal.change(uid, (old) => ({
      record: {
        ...old,
        state: 'running',
        phase,
        phases: old.phases.map((each) => (done.includes(each.name) ? { ...each, state: 'done' as const } : each)),
      },
    }));
    expect(await run()).toBe('ended');
    expect(script.calls).toEqual([]);
    expect((await events()).slice(-2)).toEqual([`${phase} running`, 'ended failed']);
    expect((await record()).phases.find(({ name }) => name === phase)?.state).toBe('failed');
    await expectGivenUp();
  });

  test('ends one that was being undone', async () => {
    await bench.journal.change(uid, (old) => ({
      record: {
        ...old,
        state: 'aborting',
        aborting: { to: 'cancelled', by: person },
        phase: 'serve',
        phases: old.phases.map((phase) => (phase.name === 'load' ? phase : { ...phase, state: 'done' as const })),
      },
    }));
    expect(await run()).toBe('ended');
    expect(script.calls).toEqual([]);
    await expectGivenUp();
  });

  test('ends one that is cancelled before it began', async () => {
    await bench.journal.change(uid, (old) => ({ record: { ...old, cancelAsked: { by: person, at: '' } } }));
    expect(await run()).toBe('ended');
    await expectGivenUp();
  });
});

describe('stalls', () => {
  test('the third in one phase fails it', async () => {
    await bench.admit(uid);
    await bench.journal.change(uid, (old) => ({
      record: { ...old, state: 'running', phase: 'load', stalls: 2, stallsSeen: 2 },
    }));
    expect(await run({ stalls: 3 })).toBe('ended');
    expect(await record()).toMatchObject({
      state: 'failed',
      cause: { text: 'The process that ran it died 3 times in load' },
    });
    expect(script.calls).not.toContain('load look');
  });

  test('counts begin anew with the next phase, and a hand-over is none', async () => {
    await bench.admit(uid);
    await bench.journal.change(uid, (old) => ({
      record: { ...old, state: 'running', phase: 'serve', stalls: 2, stallsSeen: 2 },
    }));
    expect(await run({ stalls: 2 })).toBe('ended');
    expect(await record()).toMatchObject({ state: 'serving', stalls: 0, stallsSeen: 2 });
  });
});

describe('a run that is over', () => {
  test('leaves nothing running of its phases, and writes nothing more', async () => {
    await bench.admit(uid);
    let writes = 0;
    const change: Journal['change'] = (...args) => {
      writes += 1;
      return bench.journal.change(...args);
    };
    const contexts: PhaseContext[] = [];
    for (const name of ['preflight', 'load'] as const) {
      script.on[`${name} look`] = async (ctx) => {
        contexts.push(ctx);
        await ctx.progress({ stage: 'weights' });
      };
    }
    expect(await run({ runner: { journal: { ...bench.journal, change } } })).toBe('ended');
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, true]);

    const before = writes;
    await contexts[1]?.progress({ stage: 'api' });
    await contexts[1]?.note('info', 'too late');
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes).toBe(before);
  });

  test('a bug outside its phases is tried three times, then three times to undo', async () => {
    await bench.admit(uid);
    const transport = () => Promise.reject(new TypeError('no such way'));
    const states: string[] = [];
    for (let time = 0; time < 6; time++) {
      await expect(run({ runner: { transport } })).rejects.toThrow('no such way');
      const { state, stalls } = await record();
      states.push(`${state} ${stalls}`);
    }
    expect(states).toEqual(['queued 1', 'queued 2', 'aborting 0', 'aborting 1', 'aborting 2', 'failed 2']);
    expect((await record()).cause?.text).toMatch(/^Something broke in the bot \(ref \w{4}\)/);
    expect(await bench.store.redis.exists(bench.store.keys.claim('spark'))).toBe(0);
  });
});

test('a phase that looks again is told what is left of its limit', async () => {
  await bench.admit(uid);
  const left: number[] = [];
  script.on['load look'] = ({ limitMs }) => {
    left.push(limitMs);
    if (left.length === 1) throw new OperatorError('unreachable', 'spark1: no route', { hint: '' });
  };
  expect(await run()).toBe('ended');
  expect(left[0]).toBeLessThanOrEqual(5_000);
  expect(left[1]).toBeLessThan((left[0] ?? 0) - 150);
});

test('a phase that reads in vain until its limit says why', async () => {
  await bench.admit(uid, {
    limits: { ...literalPlan(uid).limits, phases: { ...literalPlan(uid).limits.phases, load: 400 } },
  });
  script.on['load look'] = async ({ machines: [head] }) => {
    nodes.away = true;
    await head.read(command('cat', 'serve.log'));
  };
  expect(await run()).toBe('ended');
  expect((await record()).cause?.text).toBe('load was not done within its limit of 0.4 s. Last seen: spark1: no route');
});

test('a stop that fails leaves the deployment serving, with the cause', async () => {
  await bench.admit(uid);
  await bench.journal.change(uid, (old) => ({
    record: { ...old, state: 'queued', run: 'stop', phases: [{ name: 'stop', state: 'waiting', attempts: 0 }] },
  }));
  script = scripted(['stop']);
  script.on['stop look'] = () => {
    throw new OperatorError('command-failed', 'spark2 still runs it', { hint: 'Look there.' });
  };
  expect(await run()).toBe('ended');
  expect(await record()).toMatchObject({ state: 'serving', cause: { text: 'spark2 still runs it' } });
});
