export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** A new message timestamp, greater than every earlier one. */
  ts: () => string;
}

export function createClock(now: () => number = Date.now): Clock {
  let last = 0;
  return {
    now,
    ts() {
      last = Math.max(last + 1, now() * 1000);
      return `${Math.floor(last / 1e6)}.${String(last % 1e6).padStart(6, '0')}`;
    },
  };
}
