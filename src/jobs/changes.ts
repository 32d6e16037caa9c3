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
  /** Something waits for the head of this cluster. */
  onOutboxFilled: (listener: (cluster: string) => void) => () => void;
  /** Somebody is to be told something at once. */
  onNoticeDue: (listener: () => void) => () => void;
}

/** `subscriber` is a connection for this alone, which queues while it reconnects. */
export async function watchChanges({ keys }: Store, subscriber: Redis, log: Logger): Promise<Changes> {
  const channels = [keys.changes, keys.counterWanted, keys.outboxFilled, keys.noticeDue];
  const listeners = new Map(channels.map((channel) => [channel, new Set<(text: string) => void>()]));
  subscriber.on('message', (channel: string, text: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(text);
  });
  subscriber.on('error', (error) => log.debug({ err: error }, 'Subscriber'));
  const subscribed = subscriber.subscribe(...channels).catch((error: unknown) => {
    log.warn({ err: error }, 'The store does not tell of changes; they are found when looked for');
  });
  // A store that is away must not keep the process from starting.
  await Promise.race([subscribed, sleep(2_000, undefined, { ref: false })]);
  const on = (channel: string) => (listener: (text: string) => void) => {
    listeners.get(channel)?.add(listener);
    return () => void listeners.get(channel)?.delete(listener);
  };
  return {
    on: on(keys.changes),
    onCounterWanted: on(keys.counterWanted),
    onOutboxFilled: on(keys.outboxFilled),
    onNoticeDue: on(keys.noticeDue),
  };
}
