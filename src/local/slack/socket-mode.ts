import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Carrier, Outcome } from './delivery.ts';
import { isObject, textIn, type JsonObject } from './json.ts';
import { readJson } from './http.ts';
import { APP_ID } from './people.ts';
import type { Workspace } from './workspace.ts';

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

export interface SocketMode {
  /** How many sockets are open. */
  open: () => number;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  carry: Carrier;
  /** Slack's notice on every socket: the app is to close it and come back. */
  disconnect: (reason: DisconnectReason) => void;
  /** Cuts every connection, as a network failure does. */
  drop: () => void;
  /** Gives the app a moment to close its sockets, then cuts them. */
  stop: () => Promise<void>;
}

const MOST_SOCKETS = 10;
const GOODBYE_MS = 500;
const HOST = { host: 'applink-local-0' };

export interface SocketModeOptions {
  workspace: Workspace;
  ackLimitMs: number;
  pingEveryMs: number;
}

export function createSocketMode({ workspace, ackLimitMs, pingEveryMs }: SocketModeOptions): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const sockets = new Set<WebSocket>();
  // Told to go away: they get no more envelopes.
  const leaving = new WeakSet<WebSocket>();
  const waiting = new Map<string, (outcome: Outcome) => void>();
  let turn = 0;
  const pings = setInterval(() => sockets.forEach((socket) => socket.ping('Ping from server')), pingEveryMs);
  // It must not hold a process whose server could not listen.
  pings.unref();

  function greet(socket: WebSocket): void {
    if (sockets.size >= MOST_SOCKETS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets', debug_info: HOST }));
      socket.close();
      return;
    }
    sockets.add(socket);
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      sockets.delete(socket);
      workspace.feed.tell({ type: 'sockets', open: sockets.size });
    });
    socket.on('message', (data) => takeAck(readJson(bytesOf(data).toString('utf8'))));
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: sockets.size,
        debug_info: { ...HOST, build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: APP_ID },
      }),
    );
    workspace.feed.tell({ type: 'sockets', open: sockets.size });
  }

  function takeAck(frame: JsonObject): void {
    const { payload } = frame;
    waiting.get(textIn(frame, 'envelope_id') ?? '')?.({ status: 'acked', ack: isObject(payload) ? payload : {} });
  }

  function nextSocket(): WebSocket | undefined {
    const ready = [...sockets].filter((socket) => socket.readyState === socket.OPEN && !leaving.has(socket));
    turn += 1;
    return ready[turn % Math.max(1, ready.length)];
  }

  return {
    open: () => sockets.size,
    upgrade(request, socket, head) {
      const url = new URL(request.url ?? '/', workspace.baseUrl);
      if (url.pathname === '/link/' && useTicket(workspace, url.searchParams.get('ticket'))) {
        server.handleUpgrade(request, socket, head, greet);
      } else {
        socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      }
    },
    carry: (id, { kind, payload, acceptsAnswer }) =>
      new Promise((resolve) => {
        const socket = nextSocket();
        if (!socket) return resolve({ status: 'dispatch_failed' });
        const limit = setTimeout(() => settle({ status: 'timeout' }), ackLimitMs);
        const settle = (outcome: Outcome): void => {
          clearTimeout(limit);
          waiting.delete(id);
          resolve(outcome);
        };
        waiting.set(id, settle);
        const retry = kind === 'events_api' ? { retry_attempt: 0, retry_reason: '' } : {};
        socket.send(
          JSON.stringify({ envelope_id: id, type: kind, accepts_response_payload: acceptsAnswer, payload, ...retry }),
        );
      }),
    disconnect(reason) {
      for (const socket of sockets) {
        leaving.add(socket);
        socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: HOST }));
      }
    },
    drop: () => sockets.forEach((socket) => socket.terminate()),
    async stop() {
      clearInterval(pings);
      const late = setTimeout(() => sockets.forEach((socket) => socket.terminate()), GOODBYE_MS);
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
      clearTimeout(late);
      for (const settle of waiting.values()) settle({ status: 'dispatch_failed' });
      server.close();
    },
  };
}

/** A ticket is good for one connection. */
function useTicket(workspace: Workspace, ticket: string | null): boolean {
  const endsAt = workspace.tickets.get(ticket ?? '');
  workspace.tickets.delete(ticket ?? '');
  return endsAt !== undefined && workspace.clock.now() <= endsAt;
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
