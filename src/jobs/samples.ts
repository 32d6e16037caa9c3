import type { Logger } from 'pino';
import type { Sample } from '../cluster/probes/engine-state.ts';
import { inStore, type Store } from './store.ts';

const KEPT_MS = 2 * 3_600_000;
const MOST = 300;
/** Looks come in bursts, when several people ask: one is enough for this long, or the two hours would not be covered. */
const APART_MS = 25_000;

/**
 * Keeps what a look at an engine saw, for two hours. Of looks close to each other the first and the newest stay.
 * Rejects 'store-away'.
 */
export async function leaveSample({ redis, keys }: Store, uid: string, sample: Sample): Promise<void> {
  const key = keys.samples(uid);
  const [last, before] = (await inStore(() => redis.zrange(key, '-2', '-1'))).toReversed().map(read);
  const write = redis.multi();
  if (last && before && last.at - before.at < APART_MS) write.zremrangebyscore(key, last.at, last.at);
  write.zadd(key, sample.at, JSON.stringify(sample));
  write.zremrangebyscore(key, '-inf', `(${sample.at - KEPT_MS}`);
  write.zremrangebyrank(key, 0, -(MOST + 1));
  write.pexpire(key, KEPT_MS);
  await inStore(() => write.exec());
}

/** As leaveSample, for those who can do without: what the store can't take is lost, and the log says so. */
export async function keepSample(store: Store, log: Logger, uid: string, sample: Sample): Promise<void> {
  await leaveSample(store, uid, sample).catch((error: unknown) => log.debug({ err: error, uid }, 'A sample is lost'));
}

/** Oldest first. Rejects 'store-away'. */
export async function samplesOf({ redis, keys }: Store, uid: string): Promise<readonly Sample[]> {
  return (await inStore(() => redis.zrange(keys.samples(uid), 0, '-1'))).map(read);
}

function read(text: string): Sample {
  return JSON.parse(text) as Sample;
}
