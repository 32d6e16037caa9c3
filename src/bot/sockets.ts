import { setTimeout as delay } from 'node:timers/promises';
import { SocketModeReceiver, type App } from '@slack/bolt';
import type { Logger } from 'pino';
import { within } from '../within.ts';

export interface SocketOptions {
  /** A receiver is used for one connection. */
  newReceiver: () => SocketModeReceiver;
  app: App;
  log: Logger;
}

export interface Socket {
  /** Resolves when it is open for the first time. */
  open: Promise<void>;
  /** Whether it is open now. */
  isUp: () => boolean;
  stop: () => Promise<void>;
}

const OPEN_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Keeps one Socket Mode connection open. Each connection gets a client of its own, with its own reconnecting switched off:
 * in socket-mode 3.1.0 that is deaf for seconds after each refresh, gives up after network errors, and rejects with nobody listening.
 */
export function keepSocket(options: SocketOptions): Socket {
  const { log } = options;
  const stopping = new AbortController();
  const closing = new Set<Promise<void>>();
  let up = false;
  let opened = (): void => {};
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const running = keep();

  async function keep(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted;) {
      const receiver = options.newReceiver();
      const leaving = whenLeaving(receiver, stopping.signal);
      try {
        await connect(receiver, options.app, stopping.signal);
        failures = 0;
        up = true;
        opened();
        await leaving;
      } catch (error) {
        failures++;
        log.warn({ err: error, failures }, 'The connection to Slack could not be opened; I try again');
      }
      up = false;
      // The next one opens while this one says good-bye.
      const closed = close(receiver).finally(() => closing.delete(closed));
      closing.add(closed);
      if (failures > 0)
        await delay(Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures), undefined, { signal: stopping.signal }).catch(
          () => {},
        );
    }
  }

  return {
    open,
    isUp: () => up,
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(closing);
    },
  };
}

async function connect(receiver: SocketModeReceiver, app: App, signal: AbortSignal): Promise<void> {
  receiver.init(app);
  const started = receiver.start().then(() => true);
  const ended = new Promise<true>((resolve) => signal.addEventListener('abort', () => resolve(true), { once: true }));
  if (!(await within(OPEN_LIMIT_MS, Promise.race([started, ended]))))
    throw new Error('Slack did not say hello in time');
}

/** Resolves when the connection ends, or when Slack says that it will. */
function whenLeaving({ client }: SocketModeReceiver, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    client.on('disconnected', () => resolve());
    client.on('ws_message', (data: unknown) => {
      if (typeof data === 'string' && data.includes('"disconnect"') && isGoodBye(data)) resolve();
    });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function isGoodBye(data: string): boolean {
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === 'object' && message !== null && 'type' in message && message.type === 'disconnect';
  } catch {
    return false;
  }
}

/** Bolt's own stop does not wait for the socket. */
async function close({ client }: SocketModeReceiver): Promise<void> {
  await within(
    CLOSE_LIMIT_MS,
    client.disconnect().catch(() => {}),
  );
}
