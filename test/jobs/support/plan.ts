import type { PhaseName, Plan, PlanNode } from '../../../src/cluster/plan.ts';

const PHASES: readonly PhaseName[] = ['preflight', 'start-head', 'serve', 'load'];

/** A plan for one node, with short limits. */
export function literalPlan(uid: string, change: Partial<Plan> = {}): Plan {
  const cluster = change.cluster ?? 'spark';
  return {
    uid,
    realm: 'test',
    cluster,
    recipe: 'qwen35',
    description: '',
    engine: 'vllm-ray',
    phases: PHASES,
    model: 'Qwen/Qwen3.5',
    servedName: 'qwen35',
    image: 'image:1',
    tensorParallel: 1,
    port: 8000,
    rayPort: 29_501,
    endpoint: 'http://10.1.230.180:8000',
    overrides: {},
    nodes: [node(uid)],
    serve: { argv: ['vllm', 'serve'], added: [] },
    limits: {
      connectMs: 1_000,
      readMs: 1_000,
      changeMs: 1_000,
      raiseMs: 6_000,
      undoMs: 400,
      silenceMs: 5_000,
      phases: {
        preflight: 5_000,
        approval: 5_000,
        'stop-previous': 5_000,
        'start-head': 5_000,
        'start-workers': 5_000,
        'verify-ray': 5_000,
        serve: 5_000,
        load: 5_000,
        smoke: 5_000,
        stop: 5_000,
        'stop-foreign': 5_000,
      },
    },
    ...change,
  };
}

function node(uid: string): PlanNode {
  return {
    name: 'spark1',
    role: 'head',
    rank: 0,
    address: '10.1.230.180',
    fabric: { address: '192.168.200.12', interface: 'enp1s0f0np0', rdma: [] },
    paths: { state: '/s', run: `/s/runs/${uid}`, models: '/m', cache: '/c' },
    env: {},
    secrets: {},
    container: {
      name: `sparkops-${uid}-spark1`,
      image: 'image:1',
      labels: {},
      mounts: [],
      entrypoint: 'ray',
      args: [],
    },
  };
}
