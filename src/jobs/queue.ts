import { Queue, type Telemetry } from 'bullmq';
import type { Redis } from 'ioredis';
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
