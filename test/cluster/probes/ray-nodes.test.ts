import { describe, expect, it } from 'vitest';
import { judgeRayNodes, pollRayNodes, type RayNode } from '../../../src/cluster/probes/ray-nodes.ts';
import { fakeMachines } from '../../support/fake-machines.ts';
import { cluster, renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const head: RayNode = { address: '192.168.200.12', hostname: 'gx10-a', alive: true, gpu: 1, head: true };
const worker: RayNode = { address: '192.168.200.13', hostname: 'gx10-b', alive: true, gpu: 1, head: false };

describe('judgeRayNodes', () => {
  it('is content with exactly the fabric addresses, each with a GPU', () => {
    expect(judgeRayNodes([head, worker], plan)).toEqual({
      state: 'complete',
      saw: 'spark1 192.168.200.12, 1 GPU; spark2 192.168.200.13, 1 GPU',
    });
  });

  it('waits for a node that is missing, also when it was there before', () => {
    expect(judgeRayNodes([head], plan)).toMatchObject({ state: 'waiting', missing: [{ name: 'spark2' }] });
    expect(judgeRayNodes([head, { ...worker, alive: false }], plan)).toMatchObject({
      state: 'waiting',
      lines: ['192.168.200.12 (gx10-a, head): alive, GPU 1', '192.168.200.13 (gx10-b): dead'],
    });
    expect(judgeRayNodes([], plan)).toMatchObject({
      state: 'waiting',
      missing: [{ name: 'spark1' }, { name: 'spark2' }],
    });
  });

  it('says which node registered at its management address, and what that would do', () => {
    expect(judgeRayNodes([{ ...head, address: '10.1.230.180' }, worker], plan)).toEqual({
      state: 'wrong',
      finding: {
        node: 'spark1',
        short: 'Ray on spark1 has the wrong address',
        text: "spark1 registered with Ray as 10.1.230.180 (its management address), not 192.168.200.12: spark2 is on the fabric only and can't connect there, so rendezvous would time out.",
        lines: ['10.1.230.180 (gx10-a, head): alive, GPU 1', '192.168.200.13 (gx10-b): alive, GPU 1'],
        remedy: expect.stringContaining('--node-ip-address 192.168.200.12'),
      },
    });
  });

  it.each([
    ["Ray's mark of the head", { ...head, address: '172.17.0.2' }, [worker], 'spark1'],
    ['its host name', { ...worker, address: '172.17.0.3', hostname: 'spark2' }, [], 'spark2'],
    ['being the only one that is missing', { ...worker, address: '172.17.0.3' }, [head], 'spark2'],
  ])('knows a node by %s', (_, stranger, others, name) => {
    const verdict = judgeRayNodes([stranger, ...others], plan);
    expect(verdict).toMatchObject({ state: 'wrong', finding: { node: name } });
  });

  it('says what a wrong address does where every node has a way to it', () => {
    const nodes = cluster.nodes.map((node, at) => ({ ...node, address: `10.1.230.18${at}` }));
    const verdict = judgeRayNodes(
      [{ ...head, address: '10.1.230.180' }],
      renderedPlan({ cluster: { ...cluster, nodes } }),
    );
    expect(verdict).toMatchObject({
      finding: {
        text: expect.stringContaining('the engine asks Ray for a node at 192.168.200.12 and would wait for ever'),
      },
    });
  });

  it('names a stranger', () => {
    expect(
      judgeRayNodes([head, worker, { ...worker, address: '192.168.200.99', hostname: 'other' }], plan),
    ).toMatchObject({
      state: 'wrong',
      finding: {
        text: 'A node that is not in the plan joined Ray: other at 192.168.200.99.',
        remedy: 'Stop the Ray on other that joins 192.168.200.12:29501, or give the cluster another ray_port.',
      },
    });
  });

  it('does not mind a stranger that is dead', () => {
    const dead = { ...worker, address: '192.168.200.99', alive: false };
    expect(judgeRayNodes([head, worker, dead], plan)).toMatchObject({ state: 'complete' });
  });

  it('names a node without a GPU', () => {
    expect(judgeRayNodes([head, { ...worker, gpu: 0 }], plan)).toMatchObject({
      state: 'wrong',
      finding: {
        node: 'spark2',
        text: expect.stringContaining('spark2 registered with Ray as 192.168.200.13 without a GPU'),
      },
    });
  });
});

describe('pollRayNodes', () => {
  it('asks one process, and judges its last line', async () => {
    const lines = ['[]', JSON.stringify([head]), JSON.stringify([head, worker])];
    const { machines, transport } = fakeMachines(plan, () => `${lines.join('\n')}\n`);
    const seen: number[] = [];
    const onChange = (nodes: readonly RayNode[]) => void seen.push(nodes.length);
    expect(await pollRayNodes(machines[0], plan, { limitMs: 9_500, onChange })).toMatchObject({ state: 'complete' });
    expect(seen).toEqual([0, 1, 2]);
    expect(transport.texts()).toEqual([
      'spark1: docker exec -i sparkops-abcdefghij-spark1 python3 - ray-nodes --expect 192.168.200.12,192.168.200.13 --limit 9',
    ]);
  });

  it('says why Ray could not be asked', async () => {
    const { machines } = fakeMachines(plan, () => ({
      exitCode: 1,
      stderr: "ModuleNotFoundError: No module named 'ray'\n",
    }));
    await expect(pollRayNodes(machines[0], plan, { limitMs: 1_000 })).rejects.toMatchObject({
      code: 'command-failed',
      node: 'spark1',
      lines: ["ModuleNotFoundError: No module named 'ray'"],
    });
  });
});
