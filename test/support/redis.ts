import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../src/local/redis-server.ts';

/** A private Redis with its data in a temporary folder; `stop` removes both. */
export async function testRedis(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-redis-'));
  const redis = await startRedis({ folder });
  return {
    url: redis.url,
    stop: async () => {
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
