import { expect, it } from 'vitest';
import { carryOverFile } from '../../../src/cluster/engines/carry-over.ts';
import { cluster, renderedPlan } from '../../support/rendered-plan.ts';

it('needs no file when only the addresses differ', () => {
  const { nodes } = renderedPlan();
  expect(carryOverFile(nodes)).toBeUndefined();
  expect(nodes[0].env).not.toHaveProperty('VLLM_CONFIG_ROOT');
});

it('keeps what vLLM would copy over the values of a node with other names', () => {
  const [head, worker] = cluster.nodes;
  if (!head || !worker) throw new Error('two nodes');
  const other = { ...worker, fabric: { ...worker.fabric, interface: 'enp1s0f1np1', rdma: ['rocep1s0f1'] } };
  const { nodes } = renderedPlan({ cluster: { ...cluster, nodes: [head, other] } });

  expect(nodes[0].env['VLLM_CONFIG_ROOT']).toBe('/home/aurora/.sparkops/runs/abcdefghij/vllm');
  expect(nodes[1]?.env).not.toHaveProperty('VLLM_CONFIG_ROOT');
  expect(carryOverFile(nodes)).toEqual({
    path: '/home/aurora/.sparkops/runs/abcdefghij/vllm/ray_non_carry_over_env_vars.json',
    text: '["NCCL_IB_HCA","NCCL_SOCKET_IFNAME","UCX_NET_DEVICES","VLLM_CONFIG_ROOT"]\n',
  });
});
