import { OperatorError } from '../errors.ts';
import type { Jobs } from './jobs.ts';
import { script, type Store } from './store.ts';

type Take = Jobs['take'];

/** While the store is away each process keeps to itself: several of them together stay below the whole rate. */
const ALONE_SHARE = 0.25;

/** Token buckets that all processes share. While the store is away: this process's own, with a share of the rate. */
export function openSharedBuckets(store: Store, alone: Take = openBuckets({ full: false })): Take {
  return async (name, { perMinute, burst, reserve }) => {
    try {
      const [outcome, waitMs] = await takeToken(store, [store.keys.bucket(name)], [perMinute / 60_000, burst, reserve]);
      return outcome === 'ok' ? { ok: true } : { ok: false, waitMs: Number(waitMs) };
    } catch (error) {
      if (!(error instanceof OperatorError && error.code === 'store-away')) throw error;
      return alone(name, { perMinute: perMinute * ALONE_SHARE, burst, reserve });
    }
  };
}

/** Token buckets of this process; full at first, or with a single token. `clock` in milliseconds. */
export function openBuckets({ clock = () => performance.now(), full = true } = {}): Take {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return async (name, { perMinute, burst, reserve }) => {
    const at = clock();
    const bucket = buckets.get(name) ?? { tokens: full ? burst : 1, at };
    const perMs = perMinute / 60_000;
    const tokens = Math.min(burst, bucket.tokens + (at - bucket.at) * perMs);
    const enough = tokens - reserve >= 1;
    buckets.set(name, { tokens: enough ? tokens - 1 : tokens, at });
    return enough ? { ok: true } : { ok: false, waitMs: Math.ceil((1 + reserve - tokens) / perMs) };
  };
}

// By Redis's clock, since those of the processes differ. A bucket that nobody asks is full again, and forgotten.
const takeToken = script(`
local perMs, burst, reserve = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local at = tonumber(kept[2]) or now
local tokens = math.min(burst, (tonumber(kept[1]) or burst) + math.max(0, now - at) * perMs)
local enough = tokens - reserve >= 1
redis.call('HSET', KEYS[1], 'tokens', tostring(enough and tokens - 1 or tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / perMs) + 1000)
if enough then return {'ok'} end
return {'wait', tostring(math.ceil((1 + reserve - tokens) / perMs))}
`);
