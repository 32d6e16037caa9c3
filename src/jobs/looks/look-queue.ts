import { Queue, QueueEvents, Worker, type Telemetry } from 'bullmq';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type ErrorCode, explain, OperatorError } from '../../errors.ts';
import { keysOf } from '../keys.ts';
import { within } from '../../within.ts';
import { BENCH_MS, type LookAnswer, type LookRequest } from './look-requests.ts';

/** Asks for a look: here, or in whatever process has a worker. */
export type Look = (request: LookRequest) => Promise<LookAnswer>;

type Reply = { ok: true; answer: LookAnswer } | { ok: false; error: Told };
type Told = { code: ErrorCode; message: string; hint: string; lines: readonly string[] };
type LookQueue = Queue<LookRequest, Reply, 'look'>;

interface LookQueueOptions {
  realm: string;
  redis: Redis;
  blocking: () => Redis;
  log: Logger;
  telemetry?: Telemetry;
}

/** Longer than a look takes, so that its own answer comes first. */
const WAIT_MS = 25_000;
const ADD_MS = 1_000;

export interface LookQueueClient {
  look: Look;
  /** How many processes take looks now; undefined: Redis does not tell. */
  workers: () => Promise<number | undefined>;
  close: () => Promise<void>;
}

/** Looks by another process: for a bot without a worker. */
export function openLookQueue({ realm, redis, blocking, log, telemetry }: LookQueueOptions): LookQueueClient {
  const { prefix } = keysOf(realm);
  const queue: LookQueue = new Queue('looks', { connection: redis, prefix, ...(telemetry && { telemetry }) });
  const events = new QueueEvents('looks', { connection: blocking(), prefix });
  const onError = (error: Error): void => log.debug({ err: error }, 'Queue looks');
  queue.on('error', onError);
  events.on('error', onError);
  return {
    look: async (request) => {
      const options = {
        jobId: `l-${randomUUID()}`,
        attempts: 1,
        removeOnComplete: { age: 60 },
        removeOnFail: { age: 60 },
      };
      const added = redis.status === 'ready' ? queue.add('look', request, options) : Promise.resolve(undefined);
      const job = await within(ADD_MS, added).catch(() => undefined);
      if (!job) {
        throw new OperatorError(
          'store-away',
          'The store (Redis) does not answer, so no worker can be asked. Models keep serving.',
          {
            hint: 'Try again when Redis is back.',
          },
        );
      }
      const reply: Reply = await job.waitUntilFinished(events, waitMs(request)).catch((error: unknown) => {
        throw new OperatorError('timeout', 'No worker has looked at the nodes in time.', {
          hint: 'Is a worker running? sparkops start --role worker',
          cause: error,
        });
      });
      if (reply.ok) return reply.answer;
      throw new OperatorError(reply.error.code, reply.error.message, reply.error);
    },
    workers: async () => within(ADD_MS, queue.getWorkersCount()).catch(() => undefined),
    close: async () => {
      await Promise.allSettled([events.close(), queue.close()]);
    },
  };
}

function waitMs({ kind }: LookRequest): number {
  return kind === 'bench' ? BENCH_MS + WAIT_MS : WAIT_MS;
}

/** Runs what other processes ask for. */
export function startLookWorker(
  { realm, blocking, log, telemetry }: Omit<LookQueueOptions, 'redis'>,
  look: Look,
): Worker<LookRequest, Reply, 'look'> {
  const worker = new Worker<LookRequest, Reply, 'look'>('looks', async ({ data }) => answer(look, data, log), {
    connection: blocking(),
    prefix: keysOf(realm).prefix,
    concurrency: 50,
    runRetryDelay: 1_000,
    ...(telemetry && { telemetry }),
  });
  worker.on('error', (error) => log.debug({ err: error }, 'Queue looks'));
  return worker;
}

async function answer(look: Look, request: LookRequest, log: Logger): Promise<Reply> {
  try {
    return { ok: true, answer: await look(request) };
  } catch (error) {
    const { text, hint, lines, ref } = explain(error);
    if (ref !== undefined) log.error({ err: error, ref }, 'A look broke in a way that nobody foresaw');
    const code = error instanceof OperatorError ? error.code : 'command-failed';
    return { ok: false, error: { code, message: text, hint, lines } };
  }
}
