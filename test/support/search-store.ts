import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Source } from './planted-secrets.ts';
import type { TestRedis } from './redis.ts';

const CONNECT_MS = 1_000;
const BATCH = 500;

/** All that a Redis holds, and all that was ever written to it: what was removed stands in its append-only file. */
export async function storeSources({ url, folder, goOn, startAgain }: TestRedis): Promise<Source[]> {
  goOn();
  const redis = (await connected(url)) ?? (await startAgain().then(() => connected(url)));
  if (!redis) throw new Error(`Redis at ${url} does not answer, so it can't be searched`);
  try {
    return [...(await keys(redis)), ...(await files(folder))];
  } finally {
    redis.disconnect();
  }
}

/** A story may have killed it. */
async function connected(url: string): Promise<Redis | undefined> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: CONNECT_MS });
  redis.on('error', () => undefined);
  return redis.connect().then(
    () => redis,
    () => undefined,
  );
}

async function keys(redis: Redis): Promise<Source[]> {
  const sources: Source[] = [];
  for (let cursor: string | undefined; cursor !== '0';) {
    const [next, names]: [string, string[]] = await redis.scan(cursor ?? '0', 'COUNT', BATCH);
    const types = await Promise.all(names.map((name) => redis.type(name)));
    const values = await Promise.all(names.map((name, at) => valueOf(redis, name, types[at] ?? '')));
    sources.push(
      ...names.map((name, at) => ({
        where: `Redis, ${types[at]} ${name}`,
        text: `${name}\n${JSON.stringify(values[at])}`,
      })),
    );
    cursor = next;
  }
  return sources;
}

function valueOf(redis: Redis, key: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'hash':
      return redis.hgetall(key);
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      // It has expired between the two questions.
      return Promise.resolve('');
    default:
      return Promise.reject(new Error(`Nobody searches a ${type} of Redis yet (${key})`));
  }
}

async function files(folder: string): Promise<Source[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({ where: 'what was once in Redis', text: await readFile(path, 'latin1') })),
  );
}
