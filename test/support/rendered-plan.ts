import type { PlanRequest } from '../../src/cluster/engines/plan-request.ts';
import { renderPlan } from '../../src/cluster/engines/render-plan.ts';
import type { Plan } from '../../src/cluster/plan.ts';
import { type Cluster, ClusterFile } from '../../src/config/cluster-file.ts';
import type { Recipe } from '../../src/config/recipe-file.ts';
import { Timeouts } from '../../src/config/sparkops-file.ts';

export const cluster: Cluster = {
  name: 'spark',
  ...ClusterFile.parse({
    ssh: { user: 'aurora', key: '/keys/id' },
    nodes: [
      {
        name: 'spark1',
        role: 'head',
        address: '10.1.230.180',
        fabric: { address: '192.168.200.12', interface: 'enp1s0f0np0', rdma: ['rocep1s0f0', 'roceP2p1s0f0'] },
      },
      {
        name: 'spark2',
        address: '192.168.200.13',
        via: ['spark1'],
        fabric: { address: '192.168.200.13', interface: 'enp1s0f0np0', rdma: ['rocep1s0f0', 'roceP2p1s0f0'] },
      },
    ],
    paths: { models: '/home/aurora/models', cache: '/home/aurora/.cache/huggingface', state: '/home/aurora/.sparkops' },
  }),
};

export const recipe: Recipe = {
  name: 'qwen35',
  description: 'Qwen3.5 122B on two Sparks',
  model: 'Qwen/Qwen3.5-122B-A10B-FP8',
  runtime: 'vllm-ray',
  container: 'hellohal2064/vllm-qwen3.5-gb10:latest',
  minNodes: 2,
  defaults: {},
  env: {},
  secrets: {},
  command: ['vllm', 'serve', '{model}', '-tp', '{tensor_parallel}'],
};

export function planRequest(changes: Partial<PlanRequest> = {}): PlanRequest {
  return {
    cluster,
    recipe,
    values: { tensor_parallel: 2 },
    argv: ['vllm', 'serve', recipe.model, '--served-model-name', 'qwen35', '-tp', '2'],
    overrides: {},
    uid: 'abcdefghij',
    realm: 'lab',
    timeouts: Timeouts.parse({}),
    ...changes,
  };
}

export function renderedPlan(changes: Partial<PlanRequest> = {}): Plan {
  return renderPlan(planRequest(changes));
}
