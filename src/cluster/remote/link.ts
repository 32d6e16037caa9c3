import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { Route } from './route.ts';
import { slots, type Slots } from './slots.ts';
import { openFailure } from './ssh-errors.ts';
import { usage, type Usage } from './usage.ts';

/** A connection to a node, logged in. */
export interface Link {
  route: Route;
  client: Client;
  sessions: Slots;
  usage: Usage;
  /** Aborted, with the reason, when the connection is gone. */
  lost: AbortSignal;
  /** Aborted when it takes no new work: it is lost or retired. */
  spent: AbortSignal;
  /** No new work for it; ends when the last of its users is done. */
  retire: (why: string) => void;
}

// None of 240 commands was refused with 6 at a time: sshd allows 10 sessions, and frees one slightly after its close.
const SESSIONS = 6;

export function newLink(route: Route, client: Client, lost: AbortSignal): Link {
  const users = usage(() => client.end());
  const spent = new AbortController();
  lost.addEventListener('abort', () => spent.abort(lost.reason), { once: true });
  return {
    route,
    client,
    sessions: slots(SESSIONS),
    usage: users,
    lost,
    spent: spent.signal,
    retire(why) {
      spent.abort(new Error(why));
      users.retire();
    },
  };
}

/** A TCP connection that the link's node opens to host:port. It has no limit of its own but the signal's. */
export function forward(link: Link, target: { host: string; port: number }, signal: AbortSignal): Promise<Duplex> {
  const done = link.usage.begin();
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      done();
      reject(error);
    };
    const onOpen = (error: Error | undefined, channel: ClientChannel) => {
      if (error) return fail(openFailure(error) === 1 ? forbidden(link) : error);
      channel.once('close', done);
      const opened = closable(channel);
      if (!signal.aborted) return resolve(opened);
      opened.destroy();
      return reject(signal.reason);
    };
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      link.client.forwardOut('127.0.0.1', 0, target.host, target.port, onOpen);
    } catch (error) {
      fail(error);
    }
  });
}

function closable(channel: ClientChannel): Duplex {
  const destroy = channel.destroy.bind(channel);
  // ssh2 gives no 'close' while something is left unread.
  channel.destroy = () => {
    channel.resume();
    return destroy();
  };
  // Its failures reach the user as an early end; without a listener they would end the process.
  channel.on('error', () => {});
  return channel;
}

function forbidden(link: Link): Error {
  return new Error(`${link.route.node.name} does not allow forwarding (AllowTcpForwarding)`);
}
