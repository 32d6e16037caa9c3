import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderPlan } from '../../src/cluster/engines/render-plan.ts';
import type { PhaseName, Plan } from '../../src/cluster/plan.ts';
import { sshTransport } from '../../src/cluster/remote/ssh-transport.ts';
import type { Transport } from '../../src/cluster/remote/transport.ts';
import type { Recipe } from '../../src/config/recipe-file.ts';
import { Timeouts } from '../../src/config/sparkops-file.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';
import type { Verdict } from '../../src/jobs/phases/phase.ts';
import {
  type PretendSparks,
  type PretendSparksOptions,
  startPretendSparks,
} from '../../src/local/sparks/pretend-sparks.ts';
import { type DeployByHand, deployByHand } from './deploy-by-hand.ts';

/** What people have decided and asked for. */
export interface RunOptions {
  record?: Partial<Deployment>;
  hurry?: AbortSignal;
}

export interface Deploying extends DeployByHand {
  sparks: PretendSparks;
  plan: Plan;
  /** All of them in order, up to the first that doesn't end well. */
  upTo: (name: PhaseName) => Promise<Verdict>;
  /** Another deployment on the same machines. */
  another: (uid: string, number: number, run?: RunOptions) => Promise<Deploying>;
  stop: () => Promise<void>;
}

const recipe: Recipe = {
  name: 'qwen35',
  description: 'for tests',
  model: 'Qwen/Qwen3.5-122B-A10B-FP8',
  runtime: 'vllm-ray',
  container: '',
  minNodes: 2,
  defaults: {},
  env: {},
  secrets: {},
  command: ['vllm'],
};

const timeouts = Timeouts.parse({
  preflight: '10s',
  stop_previous: '10s',
  start_head: '15s',
  start_workers: '10s',
  verify_ray: '10s',
  serve: '10s',
  load: '30s',
  load_silence: '10s',
  smoke: '10s',
  stop: '10s',
});

/** Phases on two pretend Sparks, over real SSH connections. */
export async function deployOnPretendSparks(
  options: Omit<PretendSparksOptions, 'folder'> & { timeouts?: Partial<Timeouts> } = {},
): Promise<Deploying> {
  const folder = await mkdtemp(join(tmpdir(), 'sparks-'));
  const sparks = await startPretendSparks({ folder, loadSeconds: 0.5, ...options });
  const cluster = { name: 'spark', ...sparks.clusterFile() };
  const transport = sshTransport(cluster, { connectMs: 5_000 });
  const end = new AbortController();
  const limits = { ...timeouts, ...options.timeouts };

  const deploying = (uid: string, number: number, run: RunOptions = {}): Promise<Deploying> =>
    begin({ sparks, transport, end, run, number, another: deploying, plan: planFor(uid) });

  function planFor(uid: string): Plan {
    return renderPlan({
      cluster,
      recipe: { ...recipe, container: sparks.image },
      values: { tensor_parallel: 2 },
      argv: ['vllm', 'serve', recipe.model, '--served-model-name', 'qwen35', '-tp', '2'],
      overrides: {},
      uid,
      realm: 'lab',
      timeouts: limits,
    });
  }

  const first = await deploying('abcdefghi1', 141);
  return {
    ...first,
    stop: async () => {
      end.abort();
      await transport.close();
      await sparks.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function begin(given: {
  sparks: PretendSparks;
  transport: Transport;
  end: AbortController;
  run: RunOptions;
  number: number;
  plan: Plan;
  another: Deploying['another'];
}): Promise<Deploying> {
  const { sparks, transport, end, run, number, plan, another } = given;
  const byHand = await deployByHand({ plan, transport, number, signal: end.signal, ...run });
  const { phase } = byHand;

  async function upTo(last: PhaseName): Promise<Verdict> {
    for (const name of plan.phases) {
      const verdict = await phase(name);
      if (name === last || verdict.state !== 'done') return verdict;
    }
    throw new Error(`${last} is no phase of this plan`);
  }

  return { ...byHand, sparks, plan, upTo, another, stop: async () => undefined };
}
