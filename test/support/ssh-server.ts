import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import type { Cluster } from '../../src/config/cluster-file.ts';
import { makeKey } from '../../src/local/sparks/keys.ts';

const { Server } = ssh2;

export interface SshServer {
  port: number;
  /** Of its host key, as ssh-keygen -lf prints it. */
  fingerprint: string;
  /** "ssh-ed25519 AAAA..." */
  hostKey: string;
  /** Connections so far, and now. */
  connections: () => number;
  open: () => number;
  /** The most commands that ran at once. */
  peak: () => number;
  refusals: () => number;
  drop: () => void;
  close: () => Promise<void>;
}

const userKey = makeKey();

/**
 * An SSH server on a free port of 127.0.0.1 that runs commands with the real sh, and refuses sessions past a number like
 * sshd. `drops`: this many commands are not answered, their connection is cut.
 */
export async function startSshServer(
  options: { maxSessions?: number; env?: Record<string, string>; drops?: number } = {},
): Promise<SshServer> {
  const { maxSessions = 10, env = {} } = options;
  const key = makeKey();
  const open = new Set<Connection>();
  let connections = 0;
  let running = 0;
  let peak = 0;
  let refusals = 0;
  let { drops = 0 } = options;

  const drop = () => {
    for (const client of open) client.end();
  };
  const server = new Server({ hostKeys: [key.text] }, (client) => {
    let sessions = 0;
    connections += 1;
    open.add(client);
    client.on('error', () => {});
    client.on('close', () => open.delete(client));
    client.on('authentication', (ctx) => {
      const allowed = userKey.parsed;
      if (ctx.method !== 'publickey') return ctx.reject(['publickey']);
      if (!ctx.key.data.equals(allowed.getPublicSSH())) return ctx.reject(['publickey']);
      const signed = ctx.signature && ctx.blob ? allowed.verify(ctx.blob, ctx.signature, ctx.hashAlgo) : true;
      return signed === true ? ctx.accept() : ctx.reject();
    });
    client.on('session', (accept, reject) => {
      if (sessions >= maxSessions) {
        refusals += 1;
        return reject();
      }
      sessions += 1;
      accept().on('exec', (acceptExec, _reject, { command }) => {
        if (drops > 0) {
          drops -= 1;
          drop();
          return;
        }
        running += 1;
        peak = Math.max(peak, running);
        runShell(acceptExec(), command, env, () => {
          running -= 1;
          // As with sshd, the session is free only a little after its close.
          setTimeout(() => {
            sessions -= 1;
          }, 5);
        });
      });
    });
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      const socket = connect(destPort, destIP);
      socket.once('error', () => reject());
      socket.once('connect', () => {
        const channel = accept();
        socket.on('error', () => channel.end());
        channel.on('error', () => {});
        channel.on('close', () => socket.destroy());
        channel.pipe(socket).pipe(channel);
      });
    });
  });

  const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('No TCP port');
  return {
    port: address.port,
    fingerprint: key.fingerprint,
    hostKey: `ssh-ed25519 ${key.parsed.getPublicSSH().toString('base64')}`,
    connections: () => connections,
    open: () => open.size,
    peak: () => peak,
    refusals: () => refusals,
    drop,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        drop();
      }),
  };
}

/** A cluster whose nodes are such servers; the second and later ones are reached through the first. */
export function clusterOf(first: SshServer, ...others: SshServer[]): Cluster {
  const nodes: Cluster['nodes'] = [first, ...others].map((server, index) => ({
    name: `spark${index + 1}`,
    role: index === 0 ? 'head' : 'worker',
    address: '127.0.0.1',
    port: server.port,
    via: index === 0 ? [] : ['spark1'],
    host_key: server.fingerprint,
    fabric: { address: `192.168.200.${12 + index}`, interface: 'enp1s0f0np0', rdma: [] },
  }));
  return {
    name: 'spark',
    description: '',
    channels: [],
    ssh: { user: 'aurora', key: '/key', agent: false },
    nodes,
    paths: { models: '/models', cache: '/cache', state: '/state' },
    ray_port: 29_501,
    caps: {},
    min_gbit: 80,
    tolerates: [],
  };
}

/** Gives the user's key as the content of any file. */
export function readKey(): Promise<string> {
  return Promise.resolve(userKey.text);
}

function runShell(channel: ServerChannel, command: string, env: Record<string, string>, ended: () => void): void {
  const child = spawn('sh', ['-c', command], { env: { ...process.env, ...env }, detached: true });
  let closed = false;
  let sent: Promise<unknown> = Promise.resolve();
  channel.on('error', () => {});
  channel.on('close', () => {
    closed = true;
    child.stdout.resume();
    child.stderr.resume();
  });
  child.stdin.on('error', () => {});
  // What a command leaves unread would keep the channel from closing.
  child.stdin.on('close', () => channel.resume());
  channel.pipe(child.stdin);

  // One write at a time for both streams: when both wait for the window, the server of ssh2 sends an old piece again.
  function forward(from: Readable, into: Writable): void {
    from.on('data', (chunk: Buffer) => {
      if (closed) return;
      from.pause();
      sent = sent
        .then(() => new Promise<unknown>((resolve) => (closed ? resolve(undefined) : into.write(chunk, resolve))))
        .then(() => {
          for (const left of ['_chunk', '_chunkcb', '_chunkErr', '_chunkcbErr']) Reflect.set(channel, left, undefined);
          from.resume();
        });
    });
  }
  forward(child.stdout, channel);
  forward(child.stderr, channel.stderr);

  child.on('close', (code, signal) => {
    ended();
    void sent.then(() => {
      if (code === null) channel.exit(signal ?? 'KILL');
      else channel.exit(code);
      channel.end();
    });
  });
}
