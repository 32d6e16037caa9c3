import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** One line when the store goes away and one when it is back, however often the connections try in between. */
export function logStore(redis: Redis, log: Logger): void {
  let away: number | undefined;
  redis.on('error', (error) => log.debug({ err: error }, 'Connection to the store'));
  redis.on('close', () => {
    // 'end' follows a close of our own.
    if (away !== undefined || redis.status === 'end') return;
    away = performance.now();
    log.warn(
      'The store (Redis) is away: nothing new is started, running deploys wait before they change anything, models keep serving',
    );
  });
  redis.on('ready', () => {
    if (away === undefined) return;
    log.info(`The store is back after ${Math.round((performance.now() - away) / 1_000)} s`);
    away = undefined;
  });
}
