import { usage } from '../cluster/probes/engine-state.ts';
import { OperatorError } from '../errors.ts';
import type { Taken } from './notices.ts';
import { samplesOf } from './samples.ts';
import { inStore, type Store } from './store.ts';

/** A reminder of a hold, with what its cluster was asked for lately, as far as samples tell. */
export async function withRequests(store: Store, taken: Taken, now: Date): Promise<Taken> {
  const { body } = taken.notice;
  if (body.kind !== 'hold-ends' || body.cluster === undefined) return taken;
  try {
    const requests = await requestsLastHour(store, body.cluster, now);
    return requests === undefined ? taken : { ...taken, notice: { ...taken.notice, body: { ...body, requests } } };
  } catch (error) {
    // It is told without.
    if (error instanceof OperatorError) return taken;
    throw error;
  }
}

async function requestsLastHour(store: Store, cluster: string, now: Date): Promise<number | undefined> {
  const uids = await inStore(() => store.redis.zrange(store.keys.serving(cluster), 0, '-1'));
  const counts = await Promise.all(
    uids.map(async (uid) => usage(await samplesOf(store, uid), now.getTime()).requestsLastHour),
  );
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}
