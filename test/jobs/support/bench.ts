import { Redis } from 'ioredis';
import { pino } from 'pino';
import { admit, type Admitted } from '../../../src/jobs/claim.ts';
import { watchChanges, type Changes } from '../../../src/jobs/changes.ts';
import { createJournal, type Journal } from '../../../src/jobs/journal.ts';
import { openStore, type Store } from '../../../src/jobs/store.ts';
import type { Plan } from '../../../src/jobs/deployment.ts';
import { testRedis } from '../../support/redis.ts';
import { literalPlan } from './plan.ts';

export const operator = { team: 'T1', user: 'U0OPERATOR', name: 'Operator' };
export const now = (): Date => new Date();
export const silent = pino({ level: process.env['TEST_LOG'] ?? 'silent' });

/** A store on a Redis of its own, with a counter as the reconciler would have set it. */
export interface Bench {
  url: string;
  store: Store;
  journal: Journal;
  changes: Changes;
  /** A connection as sparkops.ts makes it for commands. */
  connect: () => Redis;
  /** A connection as sparkops.ts makes it for queues and subscribers. */
  blocking: () => Redis;
  admit: (uid: string, plan?: Partial<Plan>) => Promise<Admitted>;
  stop: () => Promise<void>;
}

export async function openBench(redis?: { url: string; stop: () => Promise<void> }): Promise<Bench> {
  const server = redis ?? (await testRedis());
  const open: Redis[] = [];
  const keep = (connection: Redis): Redis => {
    connection.on('error', () => undefined);
    open.push(connection);
    return connection;
  };
  const retryStrategy = () => 50;
  const connect = () =>
    keep(
      new Redis(server.url, { commandTimeout: 500, enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy }),
    );
  const blocking = () => keep(new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy }));

  const commands = connect();
  await new Promise((resolve) => commands.once('ready', resolve));
  const store = openStore('test', commands);
  await commands.set(store.keys.counter, 141);
  const changes = await watchChanges(store, blocking(), silent);
  return {
    url: server.url,
    store,
    journal: createJournal(store, now),
    changes,
    connect,
    blocking,
    admit: (uid, plan = {}) =>
      admit(
        store,
        {
          plan: literalPlan(uid, plan),
          action: 'deploy',
          revision: 'abcd1234',
          sparkopsVersion: '0.1.0',
          by: operator,
          surface: 'test',
          view: { channel: 'C1' },
        },
        now,
      ),
    stop: async () => {
      for (const connection of open) connection.disconnect();
      await server.stop();
    },
  };
}
