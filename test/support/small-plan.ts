import type { Limits, Plan, PlanNode } from '../../src/cluster/plan.ts';

const limits: Limits = {
  connectMs: 1_000,
  readMs: 1_000,
  changeMs: 5_000,
  raiseMs: 8_000,
  undoMs: 1_000,
  silenceMs: 1_000,
  phases: {
    preflight: 1_000,
    approval: 1_000,
    'stop-previous': 1_000,
    'start-head': 1_000,
    'start-workers': 1_000,
    'verify-ray': 1_000,
    serve: 1_000,
    load: 1_000,
    smoke: 1_000,
    stop: 1_000,
    'stop-foreign': 1_000,
  },
};

/** A plan for two nodes with only what a test of the way there needs; each node's state folder is below `folder`. */
export function smallPlan(folder: string): Plan {
  return {
    uid: 'abcdefghij',
    realm: 'lab',
    cluster: 'spark',
    recipe: 'qwen35',
    description: '',
    engine: 'vllm-ray',
    phases: [],
    model: 'm',
    servedName: 'm',
    image: 'i',
    tensorParallel: 2,
    port: 8000,
    rayPort: 29_501,
    endpoint: 'http://127.0.0.1:8000',
    overrides: {},
    nodes: [node(folder, 1), node(folder, 2)],
    serve: { argv: ['vllm', 'serve', 'm'], added: [] },
    limits,
  };
}

function node(folder: string, number: 1 | 2): PlanNode {
  const name = `spark${number}`;
  const state = `${folder}/${name}`;
  return {
    name,
    role: number === 1 ? 'head' : 'worker',
    rank: number - 1,
    address: '127.0.0.1',
    fabric: { address: `192.168.200.1${number + 1}`, interface: 'enp1s0f0np0', rdma: [] },
    paths: { state, run: `${state}/runs/abcdefghij`, models: '/models', cache: '/cache' },
    env: {},
    secrets: {},
    container: { name: `sparkops-abcdefghij-${name}`, image: 'i', labels: {}, mounts: [], entrypoint: 'ray', args: [] },
  };
}
