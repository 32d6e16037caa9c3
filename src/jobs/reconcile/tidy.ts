import type { DeployQueue } from '../queue.ts';
import { enqueue } from '../queue.ts';
import type { Entry, Journal } from '../journal.ts';
import { isEnded, isForeign } from '../deployment.ts';
import { expire } from '../approval/decide.ts';
import { afterDecision } from '../approval/answer.ts';
import { inStore, script, type Store } from '../store.ts';

const QUEUE_MS = 2_000;

/** A record that is not ended, has no job and is run by nobody gets its job back. True: it was put back. */
export async function requeue(store: Store, queue: DeployQueue, { record, job }: Entry): Promise<boolean> {
  if (isEnded(record.state) || isForeign(record)) return false;
  if ((await queue.getJob(job)) !== undefined) return false;
  if ((await inStore(() => store.redis.exists(store.keys.lease(record.cluster)))) === 1) return false;
  await enqueue(queue, record.uid, job, QUEUE_MS);
  return true;
}

/** A claim whose record has ended, or is gone, keeps the cluster from everyone. True: it was freed. */
export async function freeClaim(store: Store, journal: Journal, cluster: string): Promise<boolean> {
  const { keys } = store;
  const uid = await inStore(() => store.redis.get(keys.claim(cluster)));
  if (uid === null) return false;
  const entry = await journal.find(uid);
  if (entry && (!isEnded(entry.record.state) || isForeign(entry.record))) return false;
  const [outcome] = await free(store, [keys.claim(cluster), keys.record(uid)], [uid, entry?.rev ?? '']);
  return outcome === 'ok';
}

/** A run that stops them has passed its point of no return: that they are gone is no death. */
export async function replacedBy(store: Store, journal: Journal, cluster: string): Promise<ReadonlySet<string>> {
  const uid = await inStore(() => store.redis.get(store.keys.claim(cluster)));
  const claimant = uid === null ? undefined : (await journal.find(uid))?.record;
  return new Set(claimant?.replaces?.map((each) => each.uid));
}

/** A request to cancel has no run that waits for it, so nobody else sees that its time is over. */
export async function endAskedCancel(journal: Journal, { record }: Entry, at: Date): Promise<void> {
  const { approval } = record;
  if (isForeign(record) || approval?.action !== 'cancel' || expire(approval, at) === approval) return;
  await journal.change(record.uid, (latest) => {
    return latest.approval?.action === 'cancel' ? afterDecision(latest, expire(latest.approval, at), at) : undefined;
  });
}

// Only as it was seen: a new run may have been admitted meanwhile.
const free = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'no'} end
if (redis.call('HGET', KEYS[2], 'rev') or '') ~= ARGV[2] then return {'no'} end
redis.call('DEL', KEYS[1])
return {'ok'}
`);
