import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client } from 'ssh2';
import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { hostKeysFor } from './host-keys.ts';
import { withLimit } from './limit.ts';
import type { ReadFile } from './local-file.ts';
import { loginFor, loginRefused } from './login.ts';
import type { Route } from './route.ts';
import { slots, type Slots } from './slots.ts';
import { inWords, openFailure, unreachable } from './ssh-errors.ts';

/** A connection to a node, logged in. Never used again once `lost`. */
export interface Link {
  route: Route;
  client: Client;
  sessions: Slots;
  /** Aborted, with the reason, when the connection is gone. */
  lost: AbortSignal;
}

export interface LinkOptions {
  /** Of each hop: TCP, host key and login together. */
  connectMs: number;
  keepaliveMs: number;
  readFile: ReadFile;
  agentSocket?: string | undefined;
  signal: AbortSignal;
}

// sshd refuses the 11th session, and frees one slightly after its close: none of 240 was refused with 6 at a time.
const SESSIONS = 6;
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
    const sock = await (
      through ? forward(through, { host: address, port }, signal) : dialTcp(address, port, signal)
    ).catch((error: unknown) => {
      throw unreachable(route, inWords(error), error);
    });
    return shakeHands({ sock, route, ssh, login, hostKeys, keepaliveMs: options.keepaliveMs, signal });
  });
}

/** A TCP connection that the link's node opens to host:port. It has no limit of its own but the signal's. */
export function forward(link: Link, target: { host: string; port: number }, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const onOpen = (error: Error | undefined, channel: Duplex) => {
      if (error)
        return reject(
          openFailure(error) === 1
            ? new Error(`${link.route.node.name} does not allow forwarding (AllowTcpForwarding)`)
            : error,
        );
      // The channel's failures reach its user as an early end; without a listener they would end the process.
      channel.on('error', () => {});
      if (signal.aborted) return channel.destroy();
      return resolve(channel);
    };
    try {
      link.client.forwardOut('127.0.0.1', 0, target.host, target.port, onOpen);
    } catch (error) {
      reject(error);
    }
  });
}

function dialTcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Without noDelay every command waits for a delayed ACK: 48 ms instead of 4.
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
  login: Awaited<ReturnType<typeof loginFor>>;
  hostKeys: Awaited<ReturnType<typeof hostKeysFor>>;
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
    client.on('ready', () => resolve({ route, client, sessions: slots(SESSIONS), lost: lost.signal }));
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
