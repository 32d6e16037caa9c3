import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { DeployQueue } from '../jobs/queue.ts';
import type { Store } from '../jobs/store.ts';
import type { OperationSettings } from '../settings.ts';
import { openBoard } from './board.ts';
import { type Health, type HealthSources, lookAtHealth } from './health.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Metrics } from './metrics.ts';
import { openOperatorsPort } from './operators-port.ts';
import { readStore } from './read-store.ts';

export interface OperationParts {
  settings: OperationSettings;
  metrics: Metrics;
  sources: HealthSources;
  /** Open Socket Mode connections; left out where there are none. */
  sockets?: () => number;
  store: Store;
  redis: Redis;
  queue: DeployQueue;
  clusters: () => Iterable<string>;
  log: Logger;
}

/** What was asked for of /healthz, /metrics, heartbeat and board. Rejects with 'config' when a port can't be had. */
export async function startOperation(parts: OperationParts): Promise<{ stop: () => Promise<void> }> {
  const { settings, metrics, sources, log } = parts;
  const health = () => lookAtHealth(sources);
  const started: { stop: () => Promise<void> }[] = [];
  const stop = async () => {
    await Promise.allSettled(started.map((part) => part.stop()));
  };
  try {
    if (settings.port) {
      const { host } = settings.port;
      const open = await openOperatorsPort({ ...settings.port, health, metrics: () => scrape(parts, health) });
      started.push(open);
      log.info({ host, port: open.port }, `/healthz and /metrics answer on ${host}:${open.port}`);
    }
    if (settings.boardPort !== undefined) {
      const board = await openBoard({ port: settings.boardPort, realm: parts.store.realm, redis: parts.redis, log });
      started.push(board);
      log.info({ port: board.port }, `The queues can be looked at on 127.0.0.1:${board.port}`);
    }
    if (settings.heartbeatUrl !== undefined) started.push(startHeartbeat({ url: settings.heartbeatUrl, health, log }));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };

  async function scrape(
    { sockets, ...reading }: OperationParts,
    look: () => Promise<Health>,
  ): Promise<{ type: string; text: string }> {
    const [found] = await Promise.all([look(), readStore(metrics, reading)]);
    metrics.healthy.set(found.ok ? 1 : 0);
    for (const [part, { ok }] of Object.entries(found.parts)) metrics.partHealthy.set({ part }, ok ? 1 : 0);
    if (sockets) metrics.sockets.set(sockets());
    const round = sources.worker?.lastRound();
    if (round) metrics.lastRound.set(round.getTime() / 1_000);
    return { type: metrics.registry.contentType, text: await metrics.registry.metrics() };
  }
}
