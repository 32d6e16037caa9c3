import { afterEach, describe, expect, it } from 'vitest';
import { lookAtForeign } from '../../../src/cluster/probes/look-at-foreign.ts';
import type { Foreign } from '../../../src/cluster/probes/foreign.ts';
import { stopForeign } from '../../../src/jobs/phases/stop-foreign.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import type { FakeAnswer, FakeCall } from '../../support/fake-transport.ts';
import { containersAnswer, foreignAnswer, type ForeignLines, section } from '../../support/node-answers.ts';
import { type Deploying, deployOnPretendSparks } from '../../support/on-pretend-sparks.ts';
import { renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const ID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

function container(change: Partial<Foreign> = {}): Foreign {
  return { node: 'spark1', kind: 'container', name: 'vllm_node', id: ID, ports: [8000], restart: 'always', ...change };
}

const running: ForeignLines = {
  id: ID,
  name: 'vllm_node',
  running: 'true',
  restart: 'always',
  network: 'host',
  gpu: 'yes',
};

interface World {
  containers: ForeignLines[];
  apps?: string[];
  ports?: number[];
  more?: string;
}

/** Two nodes of which spark1 has what the test says; docker's changing commands do what Docker does. */
function onNodes(
  world: World,
  targets: readonly Foreign[],
  answer: (call: FakeCall) => FakeAnswer | undefined = () => undefined,
) {
  const script = (call: FakeCall): FakeAnswer => {
    const own = answer(call);
    if (own !== undefined) return own;
    const updated = /docker update '--restart=no' (\w+)/.exec(call.text)?.[1];
    const stopped = /docker stop -t 30 (\w+)/.exec(call.text)?.[1];
    world.containers = world.containers.map((each) => ({
      ...each,
      ...(each.id === updated && { restart: 'no' }),
      ...(each.id === stopped && { running: 'false' }),
    }));
    if (!call.text.startsWith('sh -s')) return '';
    if (call.node === 'spark2') return containersAnswer() + foreignAnswer();
    return containersAnswer([], world.ports ?? [22]) + foreignAnswer(world.containers, world.apps) + (world.more ?? '');
  };
  return fakeRun(plan, script, { record: { foreign: targets } });
}

describe('what is stopped', () => {
  it('has lost its restart policy before it is stopped, and is looked at in between', async () => {
    const run = onNodes({ containers: [running, { ...running, id: OTHER, name: 'other' }] }, [container()]);
    expect(await run.go(stopForeign)).toEqual({
      state: 'done',
      saw: 'stopped: vllm_node on spark1; ports are closed, GPU memory is free',
    });
    expect(run.changes()).toEqual([`spark1: docker update '--restart=no' ${ID}`, `spark1: docker stop -t 30 ${ID}`]);
    const texts = run.transport.texts().filter((text) => text.startsWith('spark1'));
    const update = texts.findIndex((text) => text.includes('docker update'));
    expect(texts[update + 1]).toContain(`sh -s -- lab /home/aurora/.sparkops ${ID}`);
    expect(texts[update + 2]).toContain('docker stop');
  });

  it('is not stopped while its restart policy stays', async () => {
    const run = onNodes({ containers: [running] }, [container()], ({ text }) =>
      text.includes('docker update') ? '' : undefined,
    );
    await expect(run.go(stopForeign)).rejects.toMatchObject({
      code: 'command-failed',
      message: 'vllm_node on spark1 kept its restart policy, so it was not stopped.',
      hint: 'On spark1: docker update --restart=no vllm_node',
    });
    expect(run.changes().filter((text) => text.includes('docker stop'))).toEqual([]);
  });

  it('needs no update where there is no policy, and may be gone at once', async () => {
    const run = onNodes({ containers: [{ ...running, restart: 'no' }] }, [container()], ({ text }) =>
      text.includes('docker stop')
        ? { exitCode: 1, stderr: `Error response from daemon: No such container: ${ID}` }
        : undefined,
    );
    await stopForeign.act?.({ ...run.ctx, signal: AbortSignal.timeout(300) }).catch(() => undefined);
    expect(run.changes()).toEqual([`spark1: docker stop -t 30 ${ID}`]);
  });

  it('loses the policy also when it has ended by itself', async () => {
    const run = onNodes({ containers: [{ ...running, running: 'false' }] }, [container()]);
    expect(await run.go(stopForeign)).toMatchObject({ state: 'done' });
    expect(run.changes()[0]).toContain('docker update');
  });

  it('fails with what Docker says', async () => {
    const run = onNodes({ containers: [{ ...running, restart: 'no' }] }, [container()], ({ text }) =>
      text.includes('docker stop') ? { exitCode: 1, stderr: 'permission denied\n' } : undefined,
    );
    await expect(run.go(stopForeign)).rejects.toMatchObject({
      message: 'vllm_node on spark1 could not be stopped.',
      lines: ['permission denied'],
    });
  });

  it('is nothing but what the record names', async () => {
    const run = onNodes({ containers: [{ ...running, id: OTHER }] }, [container()]);
    expect(await run.go(stopForeign)).toMatchObject({ state: 'done' });
    expect(run.changes()).toEqual([]);
    expect(await onNodes({ containers: [running] }, []).go(stopForeign)).toMatchObject({ state: 'done' });
  });
});

describe('never said to be stopped', () => {
  it.each<[string, World, Foreign, string]>([
    [
      'while its port is open',
      { containers: [], ports: [22, 8000] },
      container(),
      'vllm_node is stopped, but port 8000 on spark1 is still open.',
    ],
    [
      'while a process of it holds GPU memory',
      {
        containers: [{ ...running, running: 'false', restart: 'no' }],
        apps: ['77, 67712'],
        more: section('cgroups', [`/proc/77/cgroup:${ID}`]),
      },
      container(),
      'The container is stopped, but its process a process (pid 77) lives on, which holds 71 GB of GPU memory.',
    ],
    [
      'while one that was seen in it lives on',
      { containers: [], apps: ['77, [N/A]'], more: section('starts', ['77 900']) },
      container({ gpuProcesses: ['77 900'] }),
      'The container is stopped, but its process a process (pid 77) lives on.',
    ],
    [
      'when the node can not tell',
      { containers: [], more: '' },
      container({ node: 'spark1' }),
      "spark1 can't say whether all is gone: no driver",
    ],
  ])('%s', async (_, world, target, text) => {
    const dead = text.endsWith('no driver');
    const run = onNodes(world, [target], ({ node, text: typed }) =>
      dead && node === 'spark1' && typed.startsWith('sh -s')
        ? containersAnswer() + section('foreign', []) + section('gpu-apps', ['no driver'], 9)
        : undefined,
    );
    expect(await run.go(stopForeign)).toMatchObject({ state: 'blocked', finding: { node: 'spark1', text } });
    expect(run.changes()).toEqual([]);
  });

  it('but a port that was only guessed, and a pid that is used again, prove nothing', async () => {
    const guessed = onNodes({ containers: [], ports: [8000] }, [container({ portsLikely: true })]);
    expect(await guessed.go(stopForeign)).toMatchObject({ state: 'done' });
    const again = onNodes({ containers: [], apps: ['77, 1'], more: section('starts', ['77 901']) }, [
      container({ gpuProcesses: ['77 900'] }),
    ]);
    expect(await again.go(stopForeign)).toMatchObject({ state: 'done' });
  });
});

describe('never touched', () => {
  it.each([
    ['20', 'research works on spark1 now'],
    ['299', 'research works on spark1 now'],
    ['unknown', 'research works on spark1 now'],
  ])('what another sparkops works on: fence %s', async (fence, short) => {
    const theirs = { ...running, realm: 'research', fence };
    const run = onNodes({ containers: [theirs, { ...running, id: OTHER }] }, [container(), container({ id: OTHER })]);
    expect(await run.go(stopForeign)).toMatchObject({ state: 'blocked', finding: { short } });
    expect(run.changes()).toEqual([]);
  });

  it.each([{ fence: '300' }, {}])('unless its fence is old or gone: %o', async (fence) => {
    const run = onNodes({ containers: [{ ...running, realm: 'research', ...fence }] }, [container()]);
    expect(await run.go(stopForeign)).toMatchObject({ state: 'done' });
  });

  it("a process of somebody else, nor one that can't be told from a later one", async () => {
    const process: Foreign = { node: 'spark1', kind: 'process', name: 'python3', id: '77', ports: [], start: '900' };
    const told = (owner: string, starts: string[]) =>
      section('user', ['aurora']) +
      section('processes', [`77 ${owner} Tue Dec  1 02:10:00 2026 python3`]) +
      section('starts', starts);
    const theirs = onNodes({ containers: [], apps: ['77, 100'], more: told('maya', ['77 900']) }, [process]);
    expect(await theirs.go(stopForeign)).toMatchObject({
      state: 'blocked',
      finding: {
        text: 'Process python3 (pid 77) on spark1 belongs to maya, and sparkops ends only processes of its own user. Nothing was touched.',
        remedy: 'Ask maya, or on spark1: sudo kill 77',
      },
    });
    const later = onNodes({ containers: [], apps: ['77, 100'], more: told('aurora', ['77 901']) }, [process]);
    expect(await later.go(stopForeign)).toMatchObject({ state: 'done' });
    const ours = onNodes({ containers: [], apps: ['77, 100'], more: told('aurora', ['77 900']) }, [process]);
    expect(await stopForeign.look(ours.ctx)).toMatchObject({ state: 'needed' });
    expect([...theirs.changes(), ...later.changes(), ...ours.changes()]).toEqual([]);
  });
});

describe('on two pretend Sparks', () => {
  let deploying: Deploying;
  afterEach(() => deploying.stop());

  it(
    'stops containers on both nodes and a process, by id and start, and sees memory and port free',
    { timeout: 90_000 },
    async () => {
      deploying = await deployOnPretendSparks({ faults: ['foreign-container', 'foreign-process'] });
      const { ctx, sparks } = deploying;
      const seen = await Promise.all(ctx.machines.map((machine) => lookAtForeign(machine, { realm: 'lab', ids: [] })));
      const targets = seen.flatMap(({ foreign }) => foreign);
      expect(targets.map(({ node, kind, gpuMemory }) => [node, kind, gpuMemory])).toEqual([
        ['spark1', 'container', 67_712],
        ['spark2', 'container', 67_712],
        ['spark2', 'process', 12_288],
      ]);

      const run = { ...ctx, record: { ...ctx.record, foreign: targets } };
      expect(await stopForeign.look(run)).toMatchObject({ state: 'needed' });
      await stopForeign.act?.(run);
      expect(await stopForeign.look(run)).toMatchObject({ state: 'done' });

      for (const node of ['spark1', 'spark2'] as const) {
        // It is somebody else's: stopped, not removed.
        expect(sparks.containers(node)).toMatchObject([{ name: 'vllm_node', status: 'exited' }]);
      }
      const after = await Promise.all(ctx.machines.map((machine) => lookAtForeign(machine, { realm: 'lab', ids: [] })));
      expect(after.map(({ foreign, listeners }) => [foreign, listeners])).toEqual([
        [[], ['0.0.0.0:22']],
        [[], ['0.0.0.0:22']],
      ]);
      // Every change went through the node's guard.
      const changes = sparks.commands.filter(
        ({ text }) => /docker (update|stop)|end-process/.test(text) && !text.startsWith('sh'),
      );
      expect(changes).toHaveLength(5);
      expect(changes.every(({ text }) => text.startsWith('flock ') && text.includes('guard.sh'))).toBe(true);
    },
  );
});
