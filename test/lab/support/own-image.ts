import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { redisProgram } from '../../support/redis-program.ts';
import { STATE } from './lab.ts';
import { openTunnel } from './on-the-head.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const BUILD = fileURLToPath(new URL('../own-image/build.sh', import.meta.url));
const run = promisify(execFile);
const OUTPUT_LIMIT = 50_000_000;

/** Builds `sparkops` on spark1 by the repository's Dockerfile, and what docker-compose.yml needs beside it. */
export async function buildOwnImage(): Promise<void> {
  const proxy = await startProxy();
  const at = `127.0.0.1:${proxy.port}`;
  // The hosts have no way out of their own.
  const tunnel = await openTunnel(['-R', `${at}:${at}`]);
  const { program, libraries } = await redisProgram();
  try {
    await run(BUILD, [process.execPath, program, libraries.join(':'), `http://${at}`], {
      maxBuffer: OUTPUT_LIMIT,
      timeout: 540_000,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`.slice(-4_000), { cause: error });
    });
  } finally {
    await tunnel.stop();
    proxy.stop();
  }
}

/** What people have beside docker-compose.yml, as ~/sparkops on spark1. `folder` is called config. */
export async function putComposeProject(folder: string): Promise<void> {
  const make = [
    'rm -rf ~/sparkops && mkdir -p ~/sparkops && cd ~/sparkops && tar -x',
    'mkdir ssh && mv id_ed25519 known_hosts ssh && chmod -R a+rX .',
    'echo SLACK_BOT_TOKEN=xoxb-1 >bot.env && echo SLACK_APP_TOKEN=xapp-1 >>bot.env && : >worker.env',
  ].join(' && ');
  const parts = [
    ['-C', REPOSITORY, 'docker-compose.yml'],
    ['-C', STATE, 'id_ed25519', 'known_hosts'],
    ['-C', dirname(folder), basename(folder)],
  ].flat();
  await run('sh', ['-c', 'tar -c "$@" | ssh -F "$0/ssh_config" spark1 "$make"', STATE, ...parts], {
    env: { ...process.env, make },
  });
}

/** An HTTP proxy for https: CONNECT and nothing else. */
async function startProxy(): Promise<{ port: number; stop: () => void }> {
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', (request, client) => {
    const { hostname, port } = new URL(`https://${request.url ?? ''}`);
    const upstream = connect(Number(port) || 443, hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}
