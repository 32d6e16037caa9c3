import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ParsedKey, type ServerChannel } from 'ssh2';
import { claimPort, findWay, releasePort } from './stand-ins/ports.ts';
import type { Machine } from './stand-ins/machine.ts';

export interface SshServerOptions {
  machine: Machine;
  /** Read at each start. */
  hostKey: () => string;
  user: string;
  clientKey: ParsedKey;
  exec: (text: string, channel: ServerChannel) => void;
}

export interface SshServer {
  /** On 127.0.0.1. */
  port: number;
  /** Listens again, on the same port. */
  start: () => Promise<void>;
  /** Refuses from now on, and drops what is connected. */
  stop: () => Promise<void>;
  dropConnections: () => void;
}

/** sshd's MaxSessions. */
const MAX_SESSIONS = 10;

/** A pretend machine's sshd: public keys only, commands, and direct-tcpip by the rules of the pretend network. */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const sockets = new Set<Socket>();
  let server: NetServer | undefined;
  const result: SshServer = { port: 0, start, stop, dropConnections };
  await start();
  return result;

  async function start(): Promise<void> {
    const ssh = new ssh2.Server({ hostKeys: [options.hostKey()] }, (client) => serve(client, options));
    // Without noDelay each command costs 44 ms.
    server = createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      ssh.injectSocket(socket);
    });
    server.listen(result.port, '127.0.0.1');
    await once(server, 'listening');
    result.port = (server.address() as AddressInfo).port;
    claimPort(options.machine, { address: '0.0.0.0', port: 22, real: result.port, pid: process.pid, kind: 'ssh' });
  }

  async function stop(): Promise<void> {
    releasePort(options.machine, 22);
    const closing = server;
    server = undefined;
    dropConnections();
    if (!closing) return;
    closing.close();
    await once(closing, 'close');
  }

  function dropConnections(): void {
    for (const socket of sockets) socket.destroy();
  }
}

function serve(client: Connection, options: SshServerOptions): void {
  let sessions = 0;
  client.on('error', () => undefined);
  client.on('authentication', (context) => authenticate(context, options));
  client.on('session', (accept, reject) => {
    if (sessions >= MAX_SESSIONS) return reject();
    sessions += 1;
    const session = accept();
    session.on('close', () => (sessions -= 1));
    session.on('exec', (acceptExec, _reject, { command }) => options.exec(command, acceptExec()));
    session.on('signal', (acceptSignal) => acceptSignal?.());
  });
  client.on('tcpip', (accept, reject, { destIP, destPort }) => {
    const way = findWay(options.machine, destIP, destPort);
    if (way.kind !== 'open') return reject();
    const socket = connect({ host: '127.0.0.1', port: way.real, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      join(socket, accept());
    });
  });
}

function join(socket: Socket, channel: ServerChannel): void {
  socket.on('error', () => channel.destroy());
  channel.on('error', () => socket.destroy());
  socket.on('close', () => channel.destroy());
  channel.on('close', () => socket.destroy());
  socket.pipe(channel).pipe(socket);
}

function authenticate(context: AuthContext, { user, clientKey }: SshServerOptions): void {
  if (context.method !== 'publickey' || context.username !== user) return context.reject(['publickey']);
  const known = context.key.algo === clientKey.type && context.key.data.equals(clientKey.getPublicSSH());
  // The first request only asks whether the key would do; the second one is signed.
  const signed =
    !context.signature ||
    (context.blob && clientKey.verify(context.blob, context.signature, context.hashAlgo) === true);
  if (known && signed) context.accept();
  else context.reject(['publickey']);
}
