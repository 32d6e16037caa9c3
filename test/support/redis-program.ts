import { findRedisProgram } from '../../src/local/redis.ts';
import type { RedisProgram } from '../../src/local/redis-from-apt.ts';

/** The machine's Redis, or the one that this fetches. */
export function redisProgram(): Promise<RedisProgram> {
  return findRedisProgram({ log: (line) => void process.stderr.write(`${line}\n`) });
}

/** Before all tests, so that it is fetched once. */
export async function setup(): Promise<void> {
  await redisProgram();
}
