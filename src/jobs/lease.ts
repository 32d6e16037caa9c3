import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import {
  decideChange,
  decideHigher,
  decideRelease,
  decideRenewal,
  decideTaking,
  leaseState,
  type LeaseSeen,
  type LeaseState,
} from './decisions/decide-lease.ts';
import { compareAndSet, type Store, type Write } from './store.ts';

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
  const places = { claim: keys.claim(cluster), lease: keys.lease(cluster), fence: keys.fence(cluster) };
  const token = options.newToken();
  const ours: Write = { key: places.lease, value: token, ttlMs };

  const asked = clock();
  const taking = await decideOn((seen) => {
    const decision = decideTaking(seen, { uid });
    const taken = decision.outcome === 'taken';
    return { ...decision, writes: taken ? [ours, { key: places.fence, value: decision.fence }] : [] };
  });
  if (taking.outcome !== 'taken') return undefined;

  let fence = taking.fence;
  let renewedAt = asked;
  let released = false;
  let failing = false;
  const lost = new AbortController();
  const stopped = new AbortController();
  const waiting = new Set<() => void>();

  const renewing = keepRenewing();

  function state(): LeaseState {
    return leaseState({ lost: lost.signal.aborted, age: clock() - renewedAt, ttlMs });
  }

  function decideOn<D extends { writes: readonly Write[] }>(decide: (seen: LeaseSeen) => D): Promise<D> {
    return compareAndSet(store, Object.values(places), ([claim = null, lease = null, highest = null]) =>
      decide({ claim, lease, fence: highest }),
    );
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
      const { answer } = await decideOn((seen) => {
        const renewal = decideRenewal(seen, { uid, token, fence });
        return { answer: renewal, writes: renewal === 'kept' || renewal === 'again' ? [ours] : [] };
      });
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
      if (decideChange(state()) === 'start') return;
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
      const raised = await decideOn((seen) => {
        const decision = decideHigher(seen, { token, min });
        const writes = decision.outcome === 'higher' ? [{ key: places.fence, value: decision.fence }] : [];
        return { ...decision, writes };
      });
      if (raised.outcome !== 'higher') throw leaseLost(cluster);
      fence = raised.fence;
      return fence;
    },
    check: () => void renewOnce(),
    release: async () => {
      if (released) return;
      released = true;
      stopped.abort();
      await renewing;
      await decideOn((seen) => {
        const drop = decideRelease(seen, { token }) === 'drop';
        return { writes: drop ? [{ key: places.lease, value: null }] : [] };
      });
    },
  };
}

function leaseLost(cluster: string): OperatorError {
  return new OperatorError('stale-fence', `Another process acts for ${cluster} now`, {
    hint: 'Nothing to do: the deploy goes on there.',
  });
}
