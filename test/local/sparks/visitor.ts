import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { type Client } from 'ssh2';
import type { ClusterFile } from '../../../src/config/cluster-file.ts';

export interface Result {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export interface Visitor {
  run: (node: string, text: string, stdin?: string) => Promise<Result>;
  dial: (node: string, host: string, port: number) => Promise<Duplex>;
  /** Fingerprints, in the order of the nodes. */
  hostKeys: readonly string[];
  close: () => void;
}

/** A plain SSH client of both machines: spark1 by its port, spark2 through it. */
export async function visit(cluster: ClusterFile): Promise<Visitor> {
  const [head, worker] = cluster.nodes;
  if (!head || !worker) throw new Error('two nodes expected');
  const key = readFileSync(cluster.ssh.key ?? '', 'utf8');
  const hostKeys: string[] = [];
  const hostVerifier = (shown: Buffer) => {
    hostKeys.push(`SHA256:${createHash('sha256').update(shown).digest('base64').replace(/=+$/, '')}`);
    return true;
  };
  const login = { username: cluster.ssh.user, privateKey: key, readyTimeout: 5_000, hostVerifier };
  const socket = createConnection({ host: head.address, port: head.port, noDelay: true });
  const first = await connect({ ...login, sock: socket });
  const second = await connect({ ...login, sock: (await forward(first, worker.address, worker.port)) as Socket });
  const clients: Record<string, Client> = { [head.name]: first, [worker.name]: second };
  const client = (node: string) => clients[node] ?? first;
  return {
    run: (node, text, stdin) => run(client(node), text, stdin),
    dial: (node, host, port) => forward(client(node), host, port),
    hostKeys,
    close: () => {
      second.end();
      first.end();
    },
  };
}

export function connect(options: ssh2.ConnectConfig): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on('ready', () => resolve(client));
    client.on('error', reject);
    client.connect(options);
  });
}

function forward(client: Client, host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, host, port, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}

export function run(client: Client, text: string, stdin = ''): Promise<Result> {
  return new Promise((resolve, reject) => {
    client.exec(text, (error, stream) => {
      if (error) return reject(error);
      const result: Result = { exitCode: undefined, stdout: '', stderr: '' };
      stream.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()));
      stream.stderr.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()));
      stream.on('exit', (code: number | null) => (result.exitCode = code ?? undefined));
      stream.on('close', () => resolve(result));
      stream.end(stdin);
    });
  });
}
