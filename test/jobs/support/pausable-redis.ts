import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../src/local/redis-server.ts';
import { redisProgram } from '../../support/redis-program.ts';

export interface PausableRedis {
  url: string;
  /** Stops answering; connections stay open. */
  pause: () => Promise<void>;
  resume: () => Promise<void>;
  /** kill -9, and nothing in its place until `start`. */
  kill: () => Promise<void>;
  /** Again on the same port, with the same data. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function pausableRedis(): Promise<PausableRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-redis-'));
  let server = await startRedis({ folder, ...(await redisProgram()) });
  return {
    url: server.url,
    pause: async () => {
      process.kill(server.pid, 'SIGSTOP');
    },
    resume: async () => {
      process.kill(server.pid, 'SIGCONT');
    },
    kill: () => server.kill(),
    start: async () => {
      server = await startRedis({ folder, port: server.port, ...(await redisProgram()) });
    },
    stop: async () => {
      process.kill(server.pid, 'SIGCONT');
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
