import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Health } from './health.ts';

export interface HeartbeatOptions {
  url: string;
  health: () => Promise<Health>;
  log: Logger;
  everyMs?: number;
}

const EVERY_MS = 60_000;
const LIMIT_MS = 10_000;

/** Calls a URL while all is well. Whoever watches it is told by its silence, also when this whole machine is gone. */
export function startHeartbeat({ url, health, log, everyMs = EVERY_MS }: HeartbeatOptions): {
  stop: () => Promise<void>;
} {
  const stopping = new AbortController();

  async function beat(): Promise<void> {
    const { ok, parts } = await health();
    if (!ok) {
      const unwell = Object.entries(parts).filter(([, part]) => !part.ok);
      log.warn({ unwell: Object.fromEntries(unwell) }, 'Not all is well: no heartbeat');
      return;
    }
    try {
      const response = await fetch(url, { signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(LIMIT_MS)]) });
      await response.arrayBuffer();
      if (!response.ok) log.warn({ status: response.status }, 'The heartbeat was not taken');
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'The heartbeat could not be sent');
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await beat();
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
