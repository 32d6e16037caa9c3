import type { Deployment, PhaseName, PhaseRecord, Plan } from '../../../src/jobs/deployment.ts';

const PHASES: readonly PhaseName[] = [
  'preflight',
  'approval',
  'stop-previous',
  'start-head',
  'start-workers',
  'verify-ray',
  'serve',
  'load',
  'smoke',
];

export const START = '2026-12-01T12:00:00.000Z';

export function at(seconds: number): string {
  return new Date(Date.parse(START) + seconds * 1_000).toISOString();
}

export function aPlan(change: Partial<Plan> = {}): Plan {
  const node = (name: string, role: 'head' | 'worker', rank: number, address: string): Plan['nodes'][number] => ({
    name,
    role,
    rank,
    address,
    fabric: { address: `192.168.200.${12 + rank}`, interface: 'enp1s0f0np0', rdma: [] },
    paths: { state: '/s', run: '/s/runs/abcdefghij', models: '/m', cache: '/c' },
    env: {},
    secrets: {},
    container: {
      name: `sparkops-abcdefghij-${name}`,
      image: 'image:1',
      labels: {},
      mounts: [],
      entrypoint: 'ray',
      args: [],
    },
  });
  return {
    uid: 'abcdefghij',
    realm: 'lab',
    cluster: 'spark',
    recipe: 'qwen35',
    description: 'Qwen3.5 122B',
    engine: 'vllm-ray',
    phases: PHASES,
    model: 'Qwen/Qwen3.5-122B-A10B-FP8',
    servedName: 'qwen35',
    image: 'image:1',
    tensorParallel: 2,
    port: 8000,
    rayPort: 29_501,
    endpoint: 'http://10.1.230.180:8000',
    overrides: {},
    nodes: [node('spark1', 'head', 0, '10.1.230.180'), node('spark2', 'worker', 1, '192.168.200.13')],
    serve: { argv: ['vllm', 'serve'], added: [] },
    limits: {
      connectMs: 1,
      readMs: 1,
      changeMs: 1,
      raiseMs: 1,
      undoMs: 1,
      silenceMs: 1,
      phases: {
        preflight: 1,
        approval: 1,
        'stop-previous': 1,
        'start-head': 1,
        'start-workers': 1,
        'verify-ray': 1,
        serve: 1,
        load: 1,
        smoke: 1,
        stop: 1,
        'stop-foreign': 1,
      },
    },
    ...change,
  };
}

export function aRecord(change: Partial<Deployment> = {}): Deployment {
  return {
    schema: 1,
    number: 142,
    uid: 'abcdefghij',
    cluster: 'spark',
    recipe: 'qwen35',
    run: 'deploy',
    by: { team: 'T0LOCAL0001', user: 'U0OPERATOR1' },
    state: 'queued',
    phases: PHASES.map((name) => ({ name, state: 'waiting', attempts: 0 })),
    plan: aPlan(),
    revision: '1a2b3c4d',
    sparkopsVersion: '0.1.0',
    stalls: 0,
    createdAt: START,
    ...change,
  };
}

/** Phases before `running` are done, 10 s each. */
export function phasesUpTo(running: PhaseName, change: Partial<PhaseRecord> = {}): PhaseRecord[] {
  const index = PHASES.indexOf(running);
  return PHASES.map((name, place) => {
    if (place > index) return { name, state: 'waiting', attempts: 0 };
    const startedAt = at(place * 10);
    if (place < index)
      return { name, state: 'done', attempts: 1, startedAt, endedAt: at(place * 10 + 10), saw: `saw ${name}` };
    return { name, state: 'running', attempts: 1, startedAt, ...change };
  });
}

export function allDone(): PhaseRecord[] {
  return PHASES.map((name, place) => ({
    name,
    state: 'done',
    attempts: 1,
    startedAt: at(place * 10),
    endedAt: at(place * 10 + 10),
    saw: `saw ${name}`,
  }));
}

export function serving(change: Partial<Deployment> = {}): Deployment {
  return aRecord({
    state: 'serving',
    phases: allDone(),
    endpoint: 'http://10.1.230.180:8000',
    smoke: { ttftMs: 812, tokensPerSecond: 26.8 },
    endedAt: at(960),
    ...change,
  });
}

export function failed(change: Partial<Deployment> = {}): Deployment {
  return aRecord({
    state: 'failed',
    phase: 'load',
    phases: phasesUpTo('load').map((phase) => {
      if (phase.name === 'load') return { ...phase, state: 'failed', endedAt: at(540) };
      return phase.name.startsWith('start') ? { ...phase, state: 'undone' } : phase;
    }),
    cause: {
      text: 'spark2 has 97 GB free, the recipe asks for 103.',
      node: 'spark2',
      lines: ['Free memory on device cuda:0 (97.0/121.6 GiB) on startup is less than desired'],
    },
    remedy: 'Retry with gpu_memory_utilization=0.77.',
    endedAt: at(540),
    ...change,
  });
}
