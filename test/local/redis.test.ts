import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRedis } from '../../src/local/redis.ts';
import { startRedis } from '../../src/local/redis-server.ts';
import { redisProgram } from '../support/redis-program.ts';

let folder: string;
const cleanups: (() => Promise<unknown>)[] = [];
const log: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-redis-test-'));
  log.length = 0;
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  await rm(folder, { recursive: true, force: true });
});

async function client(url: string): Promise<Redis> {
  const redis = new Redis(url, { retryStrategy: () => null });
  redis.on('error', () => undefined);
  cleanups.push(async () => redis.disconnect());
  return redis;
}

describe('findRedis', () => {
  it('uses the given one as it stands', async () => {
    const found = await findRedis({ folder, url: 'redis://10.0.0.9:6379/2', path: '', log: (line) => log.push(line) });
    expect(found.url).toBe('redis://10.0.0.9:6379/2');
    await found.stop();
  });

  it('starts the one on the PATH, with nothing evicted and an append-only file', async () => {
    const found = await findRedis({ folder, log: (line) => log.push(line) });
    cleanups.push(found.stop);
    const redis = await client(found.url);
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    expect(await redis.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
    redis.disconnect();
    await found.stop();
    await expect((await client(found.url)).ping()).rejects.toThrow('Connection is closed');
  });

  it('says what to install where there is none', async () => {
    const searched = findRedis({
      folder,
      cache: join(folder, 'cache'),
      path: '/nowhere',
      log: (line) => log.push(line),
    });
    await expect(searched).rejects.toMatchObject({
      code: 'store-away',
      hint: expect.stringMatching(/brew.*apt.*dnf.*REDIS_URL/),
    });
  });

  it('unpacks the packages of Debian without installing them', { timeout: 90_000 }, async (context) => {
    const path = await pathWithoutRedis();
    if (!(await archiveAnswers(path))) context.skip('apt is missing or its archive does not answer');
    const options = { folder, cache: join(folder, 'cache'), path, log: (line: string) => log.push(line) };
    const first = await findRedis(options);
    cleanups.push(first.stop);
    expect(await (await client(first.url)).ping()).toBe('PONG');
    expect(log).toHaveLength(1);
    await first.stop();
    const again = await findRedis(options);
    cleanups.push(again.stop);
    expect(log).toHaveLength(1);
    expect(await readdir(join(folder, 'cache'))).toEqual(['root']);
  });
});

describe('startRedis', () => {
  it('keeps its data over a restart and over a kill', async () => {
    const first = await startRedis({ folder, ...(await redisProgram()) });
    cleanups.push(first.stop);
    await (await client(first.url)).set('a', '1');
    await first.stop();
    const second = await startRedis({ folder, port: first.port, ...(await redisProgram()) });
    cleanups.push(second.stop);
    const redis = await client(second.url);
    await redis.set('b', '2');
    await second.kill();
    const third = await startRedis({ folder, port: first.port, ...(await redisProgram()) });
    cleanups.push(third.stop);
    expect(await (await client(third.url)).mget('a', 'b')).toEqual(['1', '2']);
  });

  it('shows the lines of one that can not start', async () => {
    const first = await startRedis({ folder, ...(await redisProgram()) });
    cleanups.push(first.stop);
    const second = startRedis({ folder: join(folder, 'second'), port: first.port, ...(await redisProgram()) });
    await expect(second).rejects.toMatchObject({
      code: 'store-away',
      lines: expect.arrayContaining([expect.stringMatching(/in use/)]),
    });
  });

  it('names a program that is not there', async () => {
    const missing = startRedis({ folder, program: '/nowhere/redis-server' });
    await expect(missing).rejects.toMatchObject({ lines: [expect.stringContaining('ENOENT')] });
  });
});

async function pathWithoutRedis(): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const name of await readdir('/usr/bin')) {
    if (!/^(redis|valkey)/.test(name)) await symlink(`/usr/bin/${name}`, join(bin, name));
  }
  return bin;
}

async function archiveAnswers(path: string): Promise<boolean> {
  const lists = join(folder, 'lists');
  await mkdir(join(lists, 'partial'), { recursive: true });
  const args = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${folder}/apt`, '-q', 'update', '--error-on=any'];
  const options = { env: { ...process.env, PATH: path }, timeout: 30_000 };
  return await promisify(execFile)('apt-get', args, options).then(
    () => true,
    () => false,
  );
}
