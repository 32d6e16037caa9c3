import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { findRedis } from './redis.ts';
import type { LocalSlack } from './slack/local-slack.ts';
import { LOCAL_RIGHTS, OPS_CHANNEL } from './slack/people.ts';
import { startLocalSlack } from './slack/start-local-slack.ts';
import type { FaultName } from './sparks/faults.ts';
import { type PretendSparks, startPretendSparks } from './sparks/pretend-sparks.ts';

const SHIPPED_CONFIG = fileURLToPath(new URL('../../config', import.meta.url));

export interface WorkplaceOptions {
  faults: readonly FaultName[];
  /** Limits that differ from the shipped ones, as in sparkops.yaml. */
  timeouts: Readonly<Record<string, string>>;
  /** How long the pretend engine loads. */
  loadSeconds?: number;
  /** A Redis to use instead of one found on this machine. */
  redisUrl?: string;
  /** Keeps what the pretend machines' commands were given on standard input. */
  keepInput?: boolean;
  /** Told what takes a while. */
  log: (line: string) => void;
}

/** A laptop's stand-ins for the world around sparkops, with a configuration folder that points at them. */
export interface Workplace {
  slack: LocalSlack;
  sparks: PretendSparks;
  redisUrl: string;
  configFolder: string;
  /** Ends everything that was started and removes its folder. */
  stop: () => Promise<void>;
}

export async function startWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-'));
  const started: { stop: () => Promise<void> }[] = [];
  const stop = async () => {
    for (const part of started.reverse()) await part.stop();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const redis = await findRedis({
      folder: join(folder, 'redis'),
      log: options.log,
      ...(options.redisUrl === undefined ? {} : { url: options.redisUrl }),
    });
    started.push(redis);
    const slack = await startLocalSlack();
    started.push(slack);
    const sparks = await startPretendSparks({
      folder: join(folder, 'sparks'),
      faults: options.faults,
      ...(options.loadSeconds === undefined ? {} : { loadSeconds: options.loadSeconds }),
      channels: [OPS_CHANNEL],
      ...(options.keepInput === undefined ? {} : { keepInput: options.keepInput }),
    });
    started.push(sparks);
    const configFolder = await writeConfig(join(folder, 'config'), sparks, options.timeouts);
    return { slack, sparks, redisUrl: redis.url, configFolder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeConfig(
  folder: string,
  sparks: PretendSparks,
  timeouts: Readonly<Record<string, string>>,
): Promise<string> {
  await mkdir(join(folder, 'clusters'), { recursive: true });
  await cp(join(SHIPPED_CONFIG, 'recipes'), join(folder, 'recipes'), { recursive: true });
  await writeFile(join(folder, 'sparkops.yaml'), stringify({ name: 'demo', rights: LOCAL_RIGHTS, timeouts }));
  await writeFile(join(folder, 'clusters', 'spark.yaml'), stringify(sparks.clusterFile()));
  return folder;
}
