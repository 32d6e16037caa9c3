import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import { script, type Store } from './store.ts';

type LeaseState = 'held' | 'unknown' | 'lost';

/** This process acts for the deployment. */
export interface Lease {
  readonly token: string;
  /** Grows with each taking of the lease; see raiseFence. */
  readonly fence: number;
  /** By the monotonic clock: unknown after 2/3 of its life without a renewal. */
  readonly state: LeaseState;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** Resolves when it is held; waits while it is unknown. Rejects 'stale-fence' when lost, and with the signal's reason. */
  grip: (signal: AbortSignal) => Promise<void>;
  /** A node has seen `min`, so our fence must be higher. Resolves with the new one. */
  raiseFence: (min: number) => Promise<number>;
  /** Renews at once: someone has reason to think that it is lost. */
  check: () => void;
  release: () => Promise<void>;
}

export interface LeaseOptions {
  cluster: string;
  uid: string;
  ttlMs: number;
  /** Called after each renewal. */
  onRenewed?: () => void;
  /** Called when Redis knows neither claim nor fence any more: it has lost its memory. Puts them back, with our fence. */
  onForgotten?: (fence: number) => Promise<void>;
  log: Logger;
  newToken: () => string;
  /** Milliseconds of a monotonic clock. */
  clock?: () => number;
}

/**
 * Takes the lease of the claimed deployment, also from another process that holds it: the queue has judged that one stalled.
 * Undefined: the cluster belongs to another deployment, or to none.
 */
export async function takeLease(store: Store, options: LeaseOptions): Promise<Lease | undefined> {
  const { cluster, uid, ttlMs, clock = () => performance.now() } = options;
  const { keys } = store;
  const leaseKeys = [keys.claim(cluster), keys.lease(cluster), keys.fence(cluster)];
  const token = options.newToken();

  const asked = clock();
  const [outcome, first] = await acquire(store, leaseKeys, [uid, token, ttlMs]);
  if (outcome !== 'ok') return undefined;

  let fence = Number(first);
  let renewedAt = asked;
  let released = false;
  let failing = false;
  const lost = new AbortController();
  const stopped = new AbortController();
  const waiting = new Set<() => void>();

  const renewing = keepRenewing();

  function state(): LeaseState {
    if (lost.signal.aborted) return 'lost';
    return clock() - renewedAt < (ttlMs * 2) / 3 ? 'held' : 'unknown';
  }

  async function keepRenewing(): Promise<void> {
    let wait = ttlMs / 3;
    while (!stopped.signal.aborted && !lost.signal.aborted) {
      try {
        await sleep(wait, undefined, { signal: stopped.signal });
      } catch {
        return;
      }
      wait = (await renewOnce()) ? ttlMs / 3 : Math.min(500, ttlMs / 10);
    }
  }

  async function renewOnce(): Promise<boolean> {
    const asked = clock();
    try {
      const [answer] = await renew(store, leaseKeys, [uid, token, ttlMs, fence]);
      if (stopped.signal.aborted) return true;
      if (answer === 'forgotten') {
        await options.onForgotten?.(fence);
        return false;
      }
      if (answer === 'lost') lost.abort(leaseLost(cluster));
      else renewedAt = asked;
      if (answer === 'again') options.log.warn('The lease had lapsed; nobody took it, so it is ours again');
    } catch (error) {
      const level = failing ? 'debug' : 'warn';
      options.log[level]({ err: error }, 'The lease can not be renewed: nothing more is changed on nodes until it is');
      failing = true;
      return false;
    }
    failing = false;
    for (const wake of waiting) wake();
    if (!lost.signal.aborted) options.onRenewed?.();
    return true;
  }

  async function grip(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      lost.signal.throwIfAborted();
      if (state() === 'held') return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
  }

  return {
    token,
    get fence() {
      return fence;
    },
    get state() {
      return state();
    },
    lost: lost.signal,
    grip,
    raiseFence: async (min) => {
      const [raised, higher] = await raise(store, leaseKeys, [token, min]);
      if (raised !== 'ok') throw leaseLost(cluster);
      fence = Number(higher);
      return fence;
    },
    check: () => void renewOnce(),
    release: async () => {
      if (released) return;
      released = true;
      stopped.abort();
      await renewing;
      await drop(store, leaseKeys, [token]);
    },
  };
}

function leaseLost(cluster: string): OperatorError {
  return new OperatorError('stale-fence', `Another process acts for ${cluster} now`, {
    hint: 'Nothing to do: the deploy goes on there.',
  });
}

const KEYS = 'local claim, lease, fence = unpack(KEYS)\n';

const acquire = script(`${KEYS}
local uid, token, ttl = unpack(ARGV)
if redis.call('GET', claim) ~= uid then return {'not-claimed'} end
redis.call('SET', lease, token, 'PX', ttl)
return {'ok', redis.call('INCR', fence)}
`);

// A lapsed lease is taken again with the same token only when the fence shows that nobody else had it meanwhile.
const renew = script(`${KEYS}
local uid, token, ttl, ours = unpack(ARGV)
-- A fence is never removed, so Redis has lost its memory.
if redis.call('EXISTS', claim, lease, fence) == 0 then return {'forgotten'} end
if redis.call('GET', claim) ~= uid then return {'lost'} end
local holder = redis.call('GET', lease)
if holder == token then
  redis.call('PEXPIRE', lease, ttl)
  return {'ok'}
end
if holder or redis.call('GET', fence) ~= ours then return {'lost'} end
redis.call('SET', lease, token, 'PX', ttl)
return {'again'}
`);

const raise = script(`${KEYS}
local token, min = unpack(ARGV)
if redis.call('GET', lease) ~= token then return {'lost'} end
local higher = math.max(tonumber(redis.call('GET', fence) or 0), tonumber(min)) + 1
redis.call('SET', fence, string.format('%d', higher))
return {'ok', higher}
`);

const drop = script(`${KEYS}
if redis.call('GET', lease) == ARGV[1] then redis.call('DEL', lease) end
return {'ok'}
`);
