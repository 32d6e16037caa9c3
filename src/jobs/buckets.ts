import type { Jobs } from './jobs.ts';

/** Token buckets of this process. `clock` in milliseconds. */
export function openBuckets(clock: () => number = () => performance.now()): Jobs['take'] {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return async (name, { perMinute, burst, reserve }) => {
    const at = clock();
    const bucket = buckets.get(name) ?? { tokens: burst, at };
    const perMs = perMinute / 60_000;
    const tokens = Math.min(burst, bucket.tokens + (at - bucket.at) * perMs);
    const enough = tokens - reserve >= 1;
    buckets.set(name, { tokens: enough ? tokens - 1 : tokens, at });
    return enough ? { ok: true } : { ok: false, waitMs: Math.ceil((1 + reserve - tokens) / perMs) };
  };
}
