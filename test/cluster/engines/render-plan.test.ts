import { describe, expect, it } from 'vitest';
import { renderPlan } from '../../../src/cluster/engines/render-plan.ts';
import { OperatorError } from '../../../src/errors.ts';
import { cluster, planRequest, recipe, renderedPlan } from '../../support/rendered-plan.ts';

describe('renderPlan', () => {
  it('gives every node its own addresses and interfaces', () => {
    const [head, worker] = renderedPlan().nodes;
    expect(head.env).toEqual({
      HOME: '/tmp',
      HF_HOME: '/home/aurora/.cache/huggingface',
      HF_HUB_OFFLINE: '1',
      RAY_memory_monitor_refresh_ms: '0',
      RAY_DEDUP_LOGS: '0',
      VLLM_ENGINE_READY_TIMEOUT_S: '3300',
      VLLM_HOST_IP: '192.168.200.12',
      RAY_NODE_IP_ADDRESS: '192.168.200.12',
      RAY_OVERRIDE_NODE_IP_ADDRESS: '192.168.200.12',
      NCCL_SOCKET_IFNAME: 'enp1s0f0np0',
      GLOO_SOCKET_IFNAME: 'enp1s0f0np0',
      TP_SOCKET_IFNAME: 'enp1s0f0np0',
      UCX_NET_DEVICES: 'enp1s0f0np0',
      OMPI_MCA_btl_tcp_if_include: 'enp1s0f0np0',
      NCCL_IB_HCA: 'rocep1s0f0,roceP2p1s0f0',
    });
    expect(worker?.env).toMatchObject({ VLLM_HOST_IP: '192.168.200.13', RAY_NODE_IP_ADDRESS: '192.168.200.13' });
  });

  it('starts Ray at the fabric address of each node', () => {
    const [head, worker] = renderedPlan().nodes;
    expect(head.container).toEqual({
      name: 'sparkops-abcdefghij-spark1',
      image: 'hellohal2064/vllm-qwen3.5-gb10:latest',
      labels: {
        'sparkops.realm': 'lab',
        'sparkops.deployment': 'abcdefghij',
        'sparkops.recipe': 'qwen35',
        'sparkops.node': 'spark1',
      },
      mounts: [
        { path: '/etc/passwd', readOnly: true },
        { path: '/etc/group', readOnly: true },
        { path: '/home/aurora/.cache/huggingface', readOnly: false },
        { path: '/home/aurora/models', readOnly: true },
        { path: '/home/aurora/.sparkops/runs/abcdefghij', readOnly: false },
      ],
      entrypoint: 'ray',
      args: words(
        'start --block --head --port 29501 --node-ip-address 192.168.200.12 --object-store-memory 1073741824 --disable-usage-stats --include-dashboard=false',
      ),
    });
    expect(worker?.container.args).toEqual(
      words(
        'start --block --address 192.168.200.12:29501 --node-ip-address 192.168.200.13 --object-store-memory 1073741824 --disable-usage-stats',
      ),
    );
  });

  it('adds what the command lacks, and says so', () => {
    const plan = renderedPlan();
    expect(plan.serve.argv.slice(7)).toEqual(words('--host 0.0.0.0 --port 8000 --distributed-executor-backend ray'));
    expect(plan.serve.added).toEqual(['--host 0.0.0.0', '--port 8000', '--distributed-executor-backend ray']);
    expect(plan).toMatchObject({
      servedName: 'qwen35',
      port: 8000,
      endpoint: 'http://10.1.230.180:8000',
      tensorParallel: 2,
    });
  });

  it('adds nothing to a command that has it all', () => {
    const argv = words(
      'vllm serve m --host=0.0.0.0 --port 9000 --tensor_parallel_size=2 --distributed-executor-backend ray',
    );
    const plan = renderedPlan({ argv, values: { tensor_parallel: 2, port: 8000 } });
    expect(plan.serve).toEqual({ argv, added: [] });
    expect(plan).toMatchObject({ port: 9000, servedName: 'm' });
  });

  it('gives a value that the command does not mention its flag', () => {
    const plan = renderedPlan({ argv: ['vllm', 'serve', 'm'], values: { tensor_parallel: 2, port: 9001 } });
    expect(plan.serve.added).toContain('--tensor-parallel-size 2');
    expect(plan).toMatchObject({ port: 9001, tensorParallel: 2 });
  });

  it('uses only the nodes that it needs, without the phases of the others', () => {
    const plan = renderedPlan({
      recipe: { ...recipe, minNodes: 1 },
      argv: ['vllm', 'serve', 'm'],
      values: {},
    });
    expect(plan.nodes.map(({ name }) => name)).toEqual(['spark1']);
    expect(plan.phases).not.toContain('start-workers');
    expect(plan.serve.argv).not.toContain('ray');
  });

  it('lets a single node be the head without saying so', () => {
    const [node] = cluster.nodes;
    const alone = { ...cluster, nodes: node ? [{ ...node, role: 'worker' as const }] : [] };
    const plan = renderedPlan({ cluster: alone, recipe: { ...recipe, minNodes: 1 }, argv: ['vllm'], values: {} });
    expect(plan.nodes[0]).toMatchObject({ name: 'spark1', role: 'head' });
  });

  it('takes the folders of a node over those of the cluster', () => {
    const nodes = cluster.nodes.map((node) => ({ ...node, paths: { state: `/data/${node.name}` } }));
    const plan = renderedPlan({ cluster: { ...cluster, nodes } });
    expect(plan.nodes.map(({ paths }) => paths.run)).toEqual([
      '/data/spark1/runs/abcdefghij',
      '/data/spark2/runs/abcdefghij',
    ]);
  });

  it("keeps the recipe's environment and names its secrets", () => {
    const plan = renderedPlan({
      recipe: { ...recipe, env: { HF_HUB_OFFLINE: '0', A: 'b' }, secrets: { HF_TOKEN: 'hf' } },
    });
    expect(plan.nodes[1]).toMatchObject({ env: { HF_HUB_OFFLINE: '0', A: 'b' }, secrets: { HF_TOKEN: 'hf' } });
  });

  it.each([
    [
      'another engine',
      { recipe: { ...recipe, runtime: 'sglang' as const } },
      /needs the engine sglang, which is not built yet/,
    ],
    [
      'more GPUs than there are',
      { argv: words('vllm serve m -tp 4') },
      /needs 4 GPUs, but spark has 2 nodes with one GPU each/,
    ],
    ['pipeline stages counted in', { argv: words('vllm serve m -tp 2 -pp 2') }, /needs 4 GPUs/],
    ['more nodes than there are', { recipe: { ...recipe, minNodes: 3 } }, /needs at least 3 nodes/],
    ['less parallel than its nodes', { argv: words('vllm serve m -tp 1') }, /is for at least 2 nodes/],
    ['more parallel than its nodes', { recipe: { ...recipe, minNodes: 1, maxNodes: 1 } }, /is for at most 1 nodes/],
    [
      'a variable that belongs to a node',
      { recipe: { ...recipe, env: { VLLM_HOST_IP: '1.2.3.4' } } },
      /sets VLLM_HOST_IP/,
    ],
    ['a secret in such a variable', { recipe: { ...recipe, secrets: { NCCL_IB_HCA: 'x' } } }, /sets NCCL_IB_HCA/],
    [
      'another executor',
      { argv: words('vllm serve m -tp 2 --distributed-executor-backend mp') },
      /--distributed-executor-backend mp/,
    ],
    ['a size that is no number', { argv: words('vllm serve m -tp two') }, /--tensor-parallel-size the value "two"/],
    [
      'no head',
      { cluster: { ...cluster, nodes: cluster.nodes.map((node) => ({ ...node, role: 'worker' as const })) } },
      /has no head/,
    ],
  ])('refuses %s', (_, changes, message) => {
    expect(() => renderPlan(planRequest(changes))).toThrow(message);
    expect(() => renderPlan(planRequest(changes))).toThrow(OperatorError);
  });

  it('makes the limits of the timeouts', () => {
    expect(renderedPlan().limits).toMatchObject({ changeMs: 95_000, silenceMs: 600_000, phases: { load: 2_700_000 } });
  });
});

function words(text: string): [string, ...string[]] {
  const [first = '', ...others] = text.split(' ');
  return [first, ...others];
}
