import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis, type RedisOptions } from '../../src/local/redis-server.ts';
import { redisProgram } from './redis-program.ts';

export interface TestRedis {
  url: string;
  /** Where its append-only file is. */
  folder: string;
  /** Neither answers nor closes its connections until it goes on. */
  pause: () => void;
  goOn: () => void;
  /** kill -9, as a power cut would; `startAgain` brings it back on the same port with the data that it had written. */
  kill: () => Promise<void>;
  startAgain: () => Promise<void>;
  stop: () => Promise<void>;
}

/** A private Redis with its data in a temporary folder; `stop` removes both. */
export async function testRedis(options: Pick<RedisOptions, 'port' | 'program'> = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-redis-'));
  const program = { ...(await redisProgram()), ...options };
  let redis = await startRedis({ folder, ...program });
  return {
    url: redis.url,
    folder,
    pause: () => void process.kill(redis.pid, 'SIGSTOP'),
    goOn: () => void process.kill(redis.pid, 'SIGCONT'),
    kill: () => redis.kill(),
    startAgain: async () => {
      redis = await startRedis({ folder, ...program, port: redis.port });
    },
    stop: async () => {
      process.kill(redis.pid, 'SIGCONT');
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
