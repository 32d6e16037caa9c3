import { homedir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../errors.ts';
import { findProgram } from './find-program.ts';
import { redisFromApt, type RedisProgram } from './redis-from-apt.ts';
import { startRedis } from './redis-server.ts';

export interface FindRedis {
  /** Where a Redis of our own keeps its data. */
  folder: string;
  /** A Redis that is there already (REDIS_URL): used as it stands, never stopped. */
  url?: string | undefined;
  /** Where fetched packages are kept. Default: ~/.cache/sparkops/redis */
  cache?: string | undefined;
  /** Default: this process's PATH. */
  path?: string | undefined;
  log: (line: string) => void;
}

/** A Redis for a machine that may have none: the given one, else one of our own. */
export async function findRedis(options: FindRedis): Promise<{ url: string; stop: () => Promise<void> }> {
  if (options.url) return { url: options.url, stop: async () => undefined };
  return await startRedis({ folder: options.folder, ...(await findRedisProgram(options)) });
}

/** The PATH's, Debian's unpacked without root, else 'store-away'. */
export async function findRedisProgram(options: Omit<FindRedis, 'folder' | 'url'>): Promise<RedisProgram> {
  const path = options.path ?? process.env['PATH'] ?? '';
  const program = await findProgram(['redis-server', 'valkey-server'], path);
  if (program) return { program, libraries: [] };
  const cache = options.cache ?? join(homedir(), '.cache/sparkops/redis');
  const unpacked = await redisFromApt({ cache, path, log: options.log });
  if (unpacked) return unpacked;
  throw new OperatorError('store-away', 'No Redis on this machine', {
    hint: 'Install one (brew install redis, apt install redis-server, dnf install valkey), or set REDIS_URL to one that runs elsewhere.',
  });
}
