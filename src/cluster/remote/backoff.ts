import { setTimeout as sleep } from 'node:timers/promises';

/** Waits 100 ms, 200 ms ... up to 2 s, each less a random part of a half. Rejects with the signal's reason. */
export function backoff(random: () => number = Math.random): (signal: AbortSignal) => Promise<void> {
  let waitMs = 100;
  return async (signal) => {
    const thisMs = waitMs * (1 - random() / 2);
    waitMs = Math.min(waitMs * 2, 2_000);
    await sleep(thisMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  };
}
