import type { DeployQueue } from '../jobs/queue.ts';
import { within } from '../within.ts';
import type { Store } from '../jobs/store.ts';
import type { Metrics } from './metrics.ts';

export interface StoreReading {
  store: Store;
  queue: DeployQueue;
  clusters: () => Iterable<string>;
}

const LIMIT_MS = 1_500;

/** What the store knows for all processes. While it is away the last values are taken back rather than repeated. */
export async function readStore(metrics: Metrics, { store, queue, clusters }: StoreReading): Promise<void> {
  const { queueJobs, claimed, leased, serving } = metrics;
  for (const metric of [queueJobs, claimed, leased, serving]) metric.reset();
  const { redis, keys } = store;
  const names = [...clusters()];
  if (redis.status !== 'ready') return;
  await within(
    LIMIT_MS,
    Promise.all([
      queue.getJobCounts('wait', 'active', 'delayed').then((counts) => {
        for (const [state, count] of Object.entries(counts)) queueJobs.set({ queue: 'deploys', state }, count);
      }),
      ...names.map(async (cluster) => {
        claimed.set({ cluster }, await redis.exists(keys.claim(cluster)));
        leased.set({ cluster }, await redis.exists(keys.lease(cluster)));
        serving.set({ cluster }, await redis.zcard(keys.serving(cluster)));
      }),
    ]),
  ).catch(() => undefined);
}
