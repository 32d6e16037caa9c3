import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisProgram } from '../../support/redis-program.ts';
import { testRedis, type TestRedis } from '../../support/redis.ts';
import { STATE } from './lab.ts';

/** Runs the words after it in spark1's network, as on the head itself. */
export const ON_THE_HEAD = ['ip', 'netns', 'exec', 'spark1'] as const;

/** Where Redis usually is, beside Ray. */
const REDIS_PORT = 6379;

interface OnTheHead {
  /** Its URL is the way from here; `stop` ends all of it. */
  redis: TestRedis;
  /** The URL on the head. */
  redisUrl: string;
}

/** A Redis on the head, and Slack's server of this test at the same address there as here. */
export async function openHead({ slackUrl }: { slackUrl: string }): Promise<OnTheHead> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-head-'));
  const program = join(folder, 'redis');
  const { program: redisServer } = await redisProgram();
  await writeFile(program, `#!/bin/sh\nexec ${ON_THE_HEAD.join(' ')} ${redisServer} "$@"\n`);
  await chmod(program, 0o700);
  const redis = await testRedis({ program, port: REDIS_PORT });
  const socket = join(folder, 'redis.sock');
  const slack = `127.0.0.1:${new URL(slackUrl).port}`;
  const tunnel = await openTunnel(['-L', `${socket}:127.0.0.1:${REDIS_PORT}`, '-R', `${slack}:${slack}`]);

  return {
    redisUrl: redis.url,
    redis: {
      ...redis,
      url: socket,
      async stop() {
        await redis.stop();
        await tunnel.stop();
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}

/** Forwards of OpenSSH between here and the head: its `-L` and `-R`. */
export async function openTunnel(forwards: readonly string[]): Promise<{ stop: () => Promise<void> }> {
  const options = ['-F', `${STATE}/ssh_config`, '-o', 'ExitOnForwardFailure=yes', ...forwards];
  const child = spawn('ssh', [...options, 'spark1', 'echo open; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('The tunnel to the head did not open'))),
  ]);
  return {
    async stop() {
      child.kill();
      await exited;
    },
  };
}
