import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../../src/config/cluster-file.ts';
import { run } from '../../../src/cluster/remote/command.ts';
import type { LinkEvent } from '../../../src/cluster/remote/link-pool.ts';
import { sshTransport, type SshOptions } from '../../../src/cluster/remote/ssh-transport.ts';
import type { Transport } from '../../../src/cluster/remote/transport.ts';
import { makeKey } from '../../../src/local/sparks/keys.ts';
import { clusterOf, readKey, startSshServer, type SshServer } from '../../support/ssh-server.ts';
import { transportContract } from './transport.contract.ts';

const signal = new AbortController().signal;
const limitMs = 10_000;

transportContract('ssh', async () => {
  const head = await startSshServer();
  const worker = await startSshServer();
  const transport = sshTransport(clusterOf(head, worker), { connectMs: 5_000, readFile: readKey });
  return {
    transport,
    nodes: ['spark1', 'spark2'],
    close: async () => {
      await transport.close();
      await Promise.all([head.close(), worker.close()]);
    },
  };
});

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function server(options?: Parameters<typeof startSshServer>[0]): Promise<SshServer> {
  const started = await startSshServer(options);
  cleanups.push(() => started.close());
  return started;
}

function transportTo(cluster: Cluster, options: Partial<SshOptions> = {}): Transport {
  const transport = sshTransport(cluster, { connectMs: 3_000, readFile: readKey, ...options });
  cleanups.push(() => transport.close());
  return transport;
}

function first(cluster: Cluster): Cluster['nodes'][number] {
  const [node] = cluster.nodes;
  if (!node) throw new Error('No node');
  return node;
}

describe('a connection', () => {
  test('is one for all callers, with at most 6 sessions at once', async () => {
    const node = await server();
    const transport = transportTo(clusterOf(node));
    const all = Array.from({ length: 20 }, (_, index) =>
      transport.exec('spark1', run('sh', '-c', 'sleep 0.02; echo "$1"', 'sh', index), { signal, limitMs }),
    );
    expect((await Promise.all(all)).map(({ stdout }) => Number(stdout))).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
    expect(node.connections()).toBe(1);
    expect(node.peak()).toBe(6);
  });

  test('tries a session again that the node had no room for', async () => {
    const node = await server({ maxSessions: 2 });
    const transport = transportTo(clusterOf(node));
    const all = Array.from({ length: 20 }, () => transport.exec('spark1', run('echo', 'x'), { signal, limitMs }));
    expect((await Promise.all(all)).every(({ stdout }) => stdout === 'x\n')).toBe(true);
    expect(node.refusals()).toBeGreaterThan(0);
    expect(node.connections()).toBe(1);
  });

  test('whose sessions are all taken by commands that nobody waits for is left behind', async () => {
    const node = await server({ maxSessions: 2 });
    const events: LinkEvent[] = [];
    const transport = transportTo(clusterOf(node), { log: (event) => events.push(event) });
    const ending = new AbortController();
    const script = 'echo $$; exec sleep 10';
    const pids: string[] = [];
    const left = Array.from({ length: 2 }, () =>
      transport.exec('spark1', run('sh', '-c', script), {
        signal: ending.signal,
        limitMs,
        onLine: (line) => pids.push(line) === 2 && ending.abort(new Error('enough')),
      }),
    );
    await Promise.allSettled(left);
    const { exitCode } = await transport.exec('spark1', run('kill', ...pids.map(Number)), { signal, limitMs });
    expect(exitCode).toBe(0);
    expect(node.connections()).toBe(2);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'lost', why: 'it has no session free' }));
    await expect.poll(node.open, { timeout: 3_000, interval: 10 }).toBe(1);
  });

  test('lost in the middle of a command leaves its outcome unknown, and a new one is made', async () => {
    const node = await server();
    const events: LinkEvent[] = [];
    const transport = transportTo(clusterOf(node), { log: (event) => events.push(event) });
    const lost = transport.exec('spark1', run('sh', '-c', 'echo begun; sleep 2'), {
      signal,
      limitMs,
      onLine: () => node.drop(),
    });
    await expect(lost).rejects.toMatchObject({ code: 'outcome-unknown', node: 'spark1' });
    expect((await transport.exec('spark1', run('echo', 'back'), { signal, limitMs })).stdout).toBe('back\n');
    expect(events.map(({ kind }) => kind)).toEqual(['connected', 'lost', 'connected']);
  });

  test('lost before the node said that a command starts leaves its outcome unknown too', async () => {
    const node = await server({ drops: 1 });
    const transport = transportTo(clusterOf(node));
    const lost = transport.exec('spark1', run('echo', 'lost'), { signal, limitMs });
    await expect(lost).rejects.toMatchObject({ code: 'outcome-unknown', node: 'spark1' });
    expect((await transport.exec('spark1', run('echo', 'back'), { signal, limitMs })).stdout).toBe('back\n');
  });

  test('that falls silent is given up after three keepalives', async () => {
    const node = await server();
    const proxy = await silencer(node.port);
    const cluster = clusterOf(node);
    first(cluster).port = proxy.port;
    const transport = transportTo(cluster, { keepaliveMs: 50 });
    const began = performance.now();
    const lost = transport.exec('spark1', run('sh', '-c', 'echo begun; sleep 5'), {
      signal,
      limitMs,
      onLine: proxy.silence,
    });
    await expect(lost).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test('an aborted caller leaves the shared attempt to the others', async () => {
    const node = await server();
    const transport = transportTo(clusterOf(node));
    const ending = new AbortController();
    const aborted = transport.exec('spark1', run('true'), { signal: ending.signal, limitMs });
    const other = transport.exec('spark1', run('echo', 'x'), { signal, limitMs });
    ending.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect((await other).stdout).toBe('x\n');
    expect(node.connections()).toBe(1);
  });

  test('more than 8 MB of output is an error unless it goes by line', async () => {
    const transport = transportTo(clusterOf(await server()));
    const big = run('sh', '-c', 'yes 0123456789012345678901234567890123456789 | head -c 9000000');
    await expect(transport.exec('spark1', big, { signal, limitMs })).rejects.toMatchObject({ code: 'command-failed' });
    let lines = 0;
    const onLine = () => {
      lines += 1;
    };
    const result = await transport.exec('spark1', big, { signal, limitMs, onLine, keep: false });
    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(lines).toBe(Math.ceil(9_000_000 / 41));
  });

  test("an error thrown by onLine is the call's", async () => {
    const transport = transportTo(clusterOf(await server()));
    const onLine = () => {
      throw new Error('bad line');
    };
    await expect(transport.exec('spark1', run('echo', 'x'), { signal, limitMs, onLine })).rejects.toThrow('bad line');
  });

  test('nothing starts on a closed transport', async () => {
    const transport = transportTo(clusterOf(await server()));
    await transport.close();
    await expect(transport.exec('spark1', run('true'), { signal, limitMs })).rejects.toThrow('are closed');
  });
});

describe('who answers', () => {
  test('another host key is refused, with what to do', async () => {
    const node = await server();
    const cluster = clusterOf(node);
    const other = `SHA256:${'A'.repeat(43)}`;
    first(cluster).host_key = other;
    const refused = transportTo(cluster).exec('spark1', run('true'), { signal, limitMs });
    await expect(refused).rejects.toMatchObject({
      code: 'host-key',
      message:
        `spark1 (127.0.0.1:${node.port}): its host key is not known to be right. ` +
        `Offered: ssh-ed25519 ${node.fingerprint}. Expected: ${other} (host_key of spark1).`,
      hint: expect.stringContaining('ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub'),
    });
  });

  test('no configured key is no permission', async () => {
    const node = await server();
    const cluster = clusterOf(node);
    delete first(cluster).host_key;
    const refused = transportTo(cluster).exec('spark1', run('true'), { signal, limitMs });
    await expect(refused).rejects.toMatchObject({
      code: 'host-key',
      message: expect.stringContaining(node.fingerprint),
    });
  });

  test('a known_hosts file is believed, and only for its type of key', async () => {
    const node = await server();
    const cluster = clusterOf(node);
    delete first(cluster).host_key;
    cluster.ssh.known_hosts = '/known';
    const transportWith = (text: string) =>
      transportTo(cluster, { readFile: (path) => (path === '/known' ? Promise.resolve(text) : readKey()) });
    const right = transportWith(`# nodes\n[127.0.0.1]:${node.port} ${node.hostKey}\n`);
    expect((await right.exec('spark1', run('echo', 'x'), { signal, limitMs })).stdout).toBe('x\n');
    const ecdsa = transportWith(`[127.0.0.1]:${node.port} ecdsa-sha2-nistp256 AAAA\n`);
    await expect(ecdsa.exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'host-key',
      message: expect.stringContaining('no key of the type ecdsa-sha2-nistp256'),
    });
    const revoked = transportWith(
      `[127.0.0.1]:${node.port} ${node.hostKey}\n@revoked [127.0.0.1]:${node.port} ${node.hostKey}\n`,
    );
    await expect(revoked.exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({ code: 'host-key' });
  });

  test("a jump host's key is verified too, and the error names both", async () => {
    const [head, worker] = [await server(), await server()];
    const cluster = clusterOf(head, worker);
    first(cluster).host_key = `SHA256:${'B'.repeat(43)}`;
    await expect(transportTo(cluster).exec('spark2', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'host-key',
      node: 'spark1',
      message: expect.stringMatching(
        /^spark2 \(127\.0\.0\.1:\d+ through spark1\): the way there is closed\. spark1 \(/,
      ),
    });
  });
});

describe('who may come in', () => {
  test('a key that the node does not know', async () => {
    const node = await server();
    const other = makeKey().text;
    const transport = transportTo(clusterOf(node), { readFile: () => Promise.resolve(other) });
    await expect(transport.exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'login',
      message: `spark1 (127.0.0.1:${node.port}): does not let user aurora in with /key`,
      hint: expect.stringContaining(`ssh -p ${node.port} aurora@127.0.0.1`),
    });
  });

  test.each([
    ['a missing key file', () => Promise.reject(new Error('ENOENT')), "can't be read"],
    ['a public key', () => Promise.resolve('ssh-ed25519 nonsense'), 'holds no private key'],
    ['a locked key', lockedKey, 'is locked by a passphrase'],
  ])('%s', async (_name, readFile, message) => {
    const transport = transportTo(clusterOf(await server()), { readFile });
    await expect(transport.exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'login',
      message: expect.stringContaining(message),
    });
  });

  test('an agent that is not there', async () => {
    const cluster = clusterOf(await server());
    cluster.ssh = { user: 'aurora', agent: true };
    await expect(transportTo(cluster).exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'login',
    });
  });
});

describe('what is not there', () => {
  test('a refused connection, direct and through a jump host', async () => {
    const head = await server();
    const gone = await startSshServer();
    await gone.close();
    const cluster = clusterOf(head, gone);
    const message = `spark2 (127.0.0.1:${gone.port} through spark1): refused`;
    await expect(transportTo(cluster).exec('spark2', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'unreachable',
      message,
      node: 'spark2',
    });
    await expect(transportTo(clusterOf(gone)).exec('spark1', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'unreachable',
      message: `spark1 (127.0.0.1:${gone.port}): connection refused`,
      hint: `On the bot's host try: ssh -p ${gone.port} aurora@127.0.0.1 true`,
    });
  });

  test('a jump host, when another one leads there too', async () => {
    const [head, worker] = [await server(), await server()];
    const cluster = clusterOf(head, worker);
    const [jump, target] = cluster.nodes;
    if (!jump || !target) throw new Error('No nodes');
    cluster.nodes.push({ ...jump, name: 'spark3', port: 1 });
    target.via = ['spark3', 'spark1'];
    const transport = transportTo(cluster);
    expect((await transport.exec('spark2', run('echo', 'x'), { signal, limitMs })).stdout).toBe('x\n');
    cluster.nodes.push({ ...jump, name: 'spark4', port: 2 });
    target.via = ['spark3', 'spark4'];
    const closed = transportTo(cluster).exec('spark2', run('true'), { signal, limitMs });
    for (const each of ['spark3 (127.0.0.1:1): connection refused', 'spark4 (127.0.0.1:2): connection refused']) {
      await expect(closed).rejects.toThrow(each);
    }
    target.via = ['spark3'];
    await expect(transportTo(cluster).exec('spark2', run('true'), { signal, limitMs })).rejects.toMatchObject({
      code: 'unreachable',
      node: 'spark3',
      message: `spark2 (127.0.0.1:${worker.port} through spark3): the way there is closed. spark3 (127.0.0.1:1): connection refused`,
    });
  });

  test('a port that accepts and says nothing', async () => {
    const proxy = await silencer((await server()).port, true);
    const cluster = clusterOf(await server());
    first(cluster).port = proxy.port;
    await expect(
      transportTo(cluster, { connectMs: 150 }).exec('spark1', run('true'), { signal, limitMs }),
    ).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('no SSH login within 0.15 s') });
  });
});

/** A TCP proxy that can stop passing anything on, both connections open. */
async function silencer(to: number, silent = false): Promise<{ port: number; silence: () => void }> {
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => silent || into.write(chunk));
      from.on('close', () => silent || into.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  });
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    silence: () => {
      silent = true;
    },
  };
}

async function lockedKey(): Promise<string> {
  const { utils } = (await import('ssh2')).default;
  return utils.generateKeyPairSync('ed25519', { passphrase: 'x', cipher: 'aes256-ctr', rounds: 1 }).private;
}
