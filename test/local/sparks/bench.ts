import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPretendSparks } from '../../../src/local/sparks/pretend-sparks.ts';
import type { NodeName, PretendSparks, PretendSparksOptions } from '../../../src/local/sparks/pretend-sparks.ts';
import { visit, type Result, type Visitor } from './visitor.ts';

export const IMAGE = 'hellohal2064/vllm-qwen3.5-gb10';
export const FABRIC = { spark1: '192.168.200.12', spark2: '192.168.200.13' };
export const NODES = ['spark1', 'spark2'] as const;

/** Pretend Sparks with a visitor, and the steps of a deploy as a person would type them. */
export interface Bench {
  sparks: PretendSparks;
  folder: string;
  run: Visitor['run'];
  dial: Visitor['dial'];
  startRay: (node: NodeName, flags?: readonly string[]) => Promise<Result>;
  rayNodes: (
    limit?: number,
  ) => Promise<{ address: string; hostname: string; alive: boolean; gpu: number; head: boolean }[]>;
  serve: (flags?: readonly string[]) => Promise<void>;
  /** The run folder's file on spark1. */
  cat: (name: string) => Promise<string>;
  stop: () => Promise<void>;
}

export async function startBench(options: Partial<PretendSparksOptions> = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-sparks-'));
  const sparks = await startPretendSparks({ folder, loadSeconds: 0.3, ...options });
  const cluster = sparks.clusterFile();
  const visitor = await visit(cluster);
  const { run, dial } = visitor;
  const runFolder = join(cluster.paths.state, 'runs/u1');

  return {
    sparks,
    folder,
    run,
    dial,
    startRay: async (node, flags = ['--node-ip-address', FABRIC[node]]) => {
      const role = node === 'spark1' ? '--head --port 29501' : `--address ${FABRIC.spark1}:29501`;
      return await run(
        node,
        `docker run -d --pull=never --name c-${node} --label sparkops.realm=test --label sparkops.deployment=u1 --network host --gpus all -e VLLM_HOST_IP=${FABRIC[node]} --entrypoint ray ${IMAGE} start --block ${role} ${flags.join(' ')} --disable-usage-stats`,
      );
    },
    rayNodes: async (limit = 10) => {
      const expect = Object.values(FABRIC).join(',');
      const command = `docker exec -i c-spark1 python3 - ray-nodes --expect ${expect} --limit ${limit}`;
      const { stdout } = await run('spark1', command, 'the text of the program\n');
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    },
    serve: async (flags = ['--distributed-executor-backend', 'ray']) => {
      const argv = `vllm serve Qwen/Qwen3.5-122B-A10B-FP8 --served-model-name qwen35 --port 8000 -tp 2 ${flags.join(' ')}`;
      const text = `mkdir -p ${runFolder}; touch ${runFolder}/serve.py; docker exec -d c-spark1 python3 ${runFolder}/serve.py ${runFolder} -- ${argv}`;
      await run('spark1', text);
    },
    cat: async (name) => (await run('spark1', `cat ${runFolder}/${name} 2>/dev/null`)).stdout,
    stop: async () => {
      visitor.close();
      await sparks.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once `look` does with something; rejects after ten seconds. */
export async function until<T>(
  look: () => Promise<T | undefined | false | ''> | T | undefined | false | '',
): Promise<T> {
  const limit = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > limit) throw new Error(`Still not: ${String(look)}`);
    await delay(25);
  }
}
