import type { Deployment } from './deployment.ts';
import type { HistoryRequest } from './jobs.ts';
import type { Journal } from './journal.ts';
import { inStore, type Store } from './store.ts';

const AT_ONCE = 25;

/** From the newest back, until enough are found or older ones can't fit. */
export async function readHistory(
  { store, journal }: { store: Store; journal: Journal },
  { cluster, by, since, limit }: HistoryRequest,
): Promise<readonly Deployment[]> {
  const numbers = await inStore(() => store.redis.hkeys(store.keys.numbers));
  const newest = numbers.map(Number).toSorted((a, b) => b - a);
  const found: Deployment[] = [];
  for (let at = 0; at < newest.length && found.length < limit; at += AT_ONCE) {
    const entries = await Promise.all(newest.slice(at, at + AT_ONCE).map(journal.findByNumber));
    const records = entries.flatMap((entry) => (entry ? [entry.record] : []));
    found.push(...records.filter((record) => fits(record, { cluster, by, since })));
    if (since !== undefined && records.some(({ createdAt }) => createdAt < since)) break;
  }
  return found.slice(0, limit);
}

type Wanted = Record<'cluster' | 'by' | 'since', string | undefined>;

function fits(record: Deployment, { cluster, by, since }: Wanted): boolean {
  return (
    (cluster === undefined || record.cluster === cluster) &&
    (by === undefined || record.by.user === by || record.owner?.user === by) &&
    (since === undefined || record.createdAt >= since)
  );
}
