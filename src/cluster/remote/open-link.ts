import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client } from 'ssh2';
import type { Cluster } from '../../config/cluster-file.ts';
import type { OperatorError } from '../../errors.ts';
import { hostKeysFor, type HostKeys } from './host-keys.ts';
import { withLimit } from './limit.ts';
import { forward, newLink, type Link } from './link.ts';
import type { ReadFile } from './local-file.ts';
import { loginFor, loginRefused, type Login } from './login.ts';
import type { Route } from './route.ts';
import { inWords, unreachable } from './ssh-errors.ts';

export interface LinkOptions {
  /** Of each hop: TCP, host key and login together. */
  connectMs: number;
  keepaliveMs: number;
  readFile: ReadFile;
  agentSocket?: string | undefined;
  signal: AbortSignal;
}

// An outage of 4 s is survived by 2 s x 3; a dead link is noticed within 8 s.
const KEEPALIVES = 3;

/** Opens a connection to the route's node; `through` is the link to its jump host. */
export function openLink(
  route: Route,
  ssh: Cluster['ssh'],
  through: Link | undefined,
  options: LinkOptions,
): Promise<Link> {
  const late = () => unreachable(route, `no SSH login within ${options.connectMs / 1_000} s`);
  return withLimit({ signal: options.signal, limitMs: options.connectMs, late }, async (signal) => {
    const login = await loginFor(route, ssh, options);
    const hostKeys = await hostKeysFor(route, ssh, options.readFile);
    const { address, port } = route.node;
    const socket = through ? forward(through, { host: address, port }, signal) : dialTcp(address, port, signal);
    const sock = await socket.catch((error: unknown) => {
      throw unreachable(route, inWords(error), error);
    });
    return shakeHands({ sock, route, ssh, login, hostKeys, keepaliveMs: options.keepaliveMs, signal });
  });
}

function dialTcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Without noDelay every command waits for a delayed ACK: 44 ms instead of 2.
    const socket = connect({ host, port, noDelay: true });
    const onAbort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
  });
}

interface Handshake {
  sock: Duplex;
  route: Route;
  ssh: Cluster['ssh'];
  login: Login;
  hostKeys: HostKeys;
  keepaliveMs: number;
  signal: AbortSignal;
}

function shakeHands({ sock, route, ssh, login, hostKeys, keepaliveMs, signal }: Handshake): Promise<Link> {
  const client = new Client();
  const lost = new AbortController();
  let refusal: OperatorError | undefined;
  return new Promise<Link>((resolve, reject) => {
    const fail = (error: unknown) => {
      lost.abort(error);
      reject(error);
      client.destroy();
      sock.destroy();
    };
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    client.on('ready', () => resolve(newLink(route, client, lost.signal)));
    // A second 'error' without a listener would end the process, so never `once`.
    client.on('error', (error) => {
      if (refusal) return fail(refusal);
      if (/no matching host key/i.test(error.message)) return fail(hostKeys.noneOffered());
      if (error.level === 'client-authentication') return fail(loginRefused(route, ssh, error));
      return fail(unreachable(route, inWords(error), error));
    });
    client.on('close', () => fail(refusal ?? unreachable(route, 'the connection was closed')));
    client.connect({
      ...login,
      sock,
      readyTimeout: 0,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: KEEPALIVES,
      algorithms: { serverHostKey: hostKeys.algorithms },
      hostVerifier: (key: Buffer) => {
        refusal = hostKeys.judge(key);
        return refusal === undefined;
      },
    });
  });
}
