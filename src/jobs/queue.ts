import { Queue, type Telemetry } from 'bullmq';
import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { within } from '../within.ts';
import { keysOf } from './keys.ts';

/** A job carries only the deployment's id. */
export interface DeployJob {
  uid: string;
}

export type DeployQueue = Queue<DeployJob, void, 'run'>;

export interface QueueOptions {
  realm: string;
  redis: Redis;
  log: Logger;
  telemetry?: Telemetry | undefined;
}

export function openDeployQueue({ realm, redis, log, telemetry }: QueueOptions): DeployQueue {
  const queue: DeployQueue = new Queue('deploys', {
    connection: redis,
    prefix: keysOf(realm).prefix,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    ...(telemetry && { telemetry }),
  });
  queue.on('error', (error) => log.debug({ err: error }, 'Queue deploys'));
  return queue;
}

/** False when the queue has a job of that id already. Rejects with 'late' work left to the reconciler after `limitMs`. */
export async function enqueue(queue: DeployQueue, uid: string, job: string, limitMs: number): Promise<void> {
  // BullMQ waits without limit for a Redis that is away.
  await within(limitMs, queue.add('run', { uid }, { jobId: job }));
}

const WAKE_TRIES = 10;
const WAKE_AGAIN_MS = 150;

/**
 * Wakes a run that waits for people. It may just be on its way to sleep (the queue then refuses), so this is tried for a
 * second and a half; whatever is missed is found when it wakes by itself.
 */
export async function wake(queue: DeployQueue, job: string): Promise<void> {
  for (let attempt = 0; attempt < WAKE_TRIES; attempt += 1) {
    const parked = await queue.getJob(job);
    if (!parked) return;
    if (await parked.isDelayed()) return parked.promote();
    await sleep(WAKE_AGAIN_MS);
  }
}
