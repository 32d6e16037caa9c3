import { setMaxListeners } from 'node:events';

/**
 * Runs `work` with a signal that aborts with the caller's signal, or with `late()` once `limitMs` have passed.
 * Rejects at that moment, even when `work` doesn't notice.
 */
export async function withLimit<T>(
  limits: { signal: AbortSignal; limitMs: number; late: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  limits.signal.throwIfAborted();
  // One run's signal serves any number of calls at once: not a leak.
  setMaxListeners(0, limits.signal);
  const ended = new AbortController();
  const onAbort = () => ended.abort(limits.signal.reason);
  limits.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => ended.abort(limits.late()), limits.limitMs);
  try {
    return await unlessAborted(work(ended.signal), ended.signal);
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', onAbort);
  }
}

/** The promise's outcome, or a rejection with the signal's reason, whichever comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const done = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.finally(done).then(resolve, reject);
  });
}
