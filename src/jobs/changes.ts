import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from './store.ts';

/** What the store tells as it happens. What happens while Redis is away is not told: renewals and reconciling find it. */
export interface Changes {
  /** Which record changed, in whatever process. */
  on: (listener: (uid: string) => void) => () => void;
  /** An admission waits for the counter. */
  onCounterWanted: (listener: () => void) => () => void;
}

/** `subscriber` is a connection for this alone, which queues while it reconnects. */
export async function watchChanges({ keys }: Store, subscriber: Redis, log: Logger): Promise<Changes> {
  const listeners = new Set<(uid: string) => void>();
  const waiting = new Set<() => void>();
  subscriber.on('message', (channel: string, text: string) => {
    if (channel === keys.changes) for (const listener of listeners) listener(text);
    if (channel === keys.counterWanted) for (const listener of waiting) listener();
  });
  subscriber.on('error', (error) => log.debug({ err: error }, 'Subscriber'));
  const subscribed = subscriber.subscribe(keys.changes, keys.counterWanted).catch((error: unknown) => {
    log.warn({ err: error }, 'The store does not tell of changes; they are found when looked for');
  });
  // A store that is away must not keep the process from starting.
  await Promise.race([subscribed, sleep(2_000, undefined, { ref: false })]);
  return { on: (listener) => added(listeners, listener), onCounterWanted: (listener) => added(waiting, listener) };
}

function added<T>(set: Set<T>, one: T): () => void {
  set.add(one);
  return () => set.delete(one);
}
