import { Redis, type RedisOptions } from 'ioredis';

export interface Connections {
  open: (options: Pick<RedisOptions, 'commandTimeout' | 'enableOfflineQueue' | 'maxRetriesPerRequest'>) => Redis;
  close: () => void;
}

/** Redis's own goodbye: some connections never get it, and would keep the process for as long. */
const GOODBYE_MS = 200;

/** Every connection of a process to its store, so that all can be closed. */
export function openConnections(url: string): Connections {
  const opened: Redis[] = [];
  function keep(redis: Redis): Redis {
    opened.push(redis);
    // Each connects again by itself; logStore tells people, once.
    redis.on('error', () => undefined);
    const duplicate = redis.duplicate.bind(redis);
    // The queue makes more of them by itself, and leaves them open when it could not close in time.
    redis.duplicate = (override) => keep(duplicate(override));
    return redis;
  }
  return {
    open: (options) => keep(new Redis(url, { ...options, disconnectTimeout: GOODBYE_MS })),
    close(): void {
      for (const redis of opened) redis.disconnect();
    },
  };
}
