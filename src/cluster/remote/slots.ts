export interface Slots {
  /** Waits for a free slot; rejects with the signal's reason. Returns how to give it back, which may be called twice. */
  take: (signal: AbortSignal) => Promise<() => void>;
}

/** At most `count` at a time, first come first served. */
export function slots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  function give(): () => void {
    free -= 1;
    let given = true;
    return () => {
      if (!given) return;
      given = false;
      free += 1;
      const [next] = waiting;
      next?.();
    };
  }

  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0 && waiting.size === 0) return resolve(give());
        const onAbort = () => {
          waiting.delete(next);
          reject(signal.reason);
        };
        const next = () => {
          waiting.delete(next);
          signal.removeEventListener('abort', onAbort);
          resolve(give());
        };
        waiting.add(next);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
