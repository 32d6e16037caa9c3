import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { startBot } from './bot/app.ts';
import { Secret } from './cluster/remote/secret.ts';
import { sshTransport } from './cluster/remote/ssh-transport.ts';
import type { Config } from './config/config.ts';
import { readConfig } from './config/load-config.ts';
import { watchChanges } from './jobs/changes.ts';
import { createJobs } from './jobs/create-jobs.ts';
import { createJournal } from './jobs/journal.ts';
import type { AuditEntry, Jobs } from './jobs/jobs.ts';
import { runLook } from './jobs/looks/run-look.ts';
import type { LookRequest } from './jobs/looks/look-requests.ts';
import { PHASES } from './jobs/phases/all.ts';
import { openDeployQueue, within } from './jobs/queue.ts';
import { startWorker } from './jobs/start-worker.ts';
import { logStore } from './jobs/store-watch.ts';
import { openStore } from './jobs/store.ts';
import { openTransports } from './jobs/transports.ts';
import type { Settings } from './settings.ts';

export interface SparkopsOptions {
  log: Logger;
  /** Told of each decision, beside the log. */
  onAudit?: (entry: AuditEntry) => void;
}

export interface Sparkops {
  jobs: Jobs;
  /** Hands running deploys over and closes everything, within 3 s. Undoes nothing. */
  stop: () => Promise<void>;
}

/** A person hears within 2 s that the store is away. */
const COMMAND_TIMEOUT_MS = 1_400;
const CLOSE_LIMIT_MS = 300;

/** Puts a process of sparkops together. Rejects with 'config' for a broken configuration or a wrong token; waits for nothing else. */
export async function startSparkops(settings: Settings, { log, onAudit }: SparkopsOptions): Promise<Sparkops> {
  const config = await followConfig(settings.configFolder);
  const { sparkops } = config.current();
  const now = () => new Date();

  const connections = openConnections(settings.redisUrl);
  const redis = connections.open({ commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false });
  logStore(redis, log);
  const blocking = () => connections.open({ maxRetriesPerRequest: null });
  const store = openStore(sparkops.name, redis);
  const journal = createJournal(store, now);
  const changes = await watchChanges(store, blocking(), log);
  const queue = openDeployQueue({ realm: sparkops.name, redis, log });

  const transports = openTransports((cluster) =>
    sshTransport(cluster, { connectMs: sparkops.timeouts.connect, agentSocket: settings.sshAgent }),
  );
  const look = (request: LookRequest) => runLook({ config: config.read, transports, now }, request);
  const shared = { store, journal, changes, queue, look, now, log, config: config.read };
  const jobs = createJobs({
    ...shared,
    secrets: settings.secret,
    sparkopsVersion: ownVersion(),
  });
  const worker = await startWorker({
    ...shared,
    blocking,
    transports,
    phases: PHASES,
    secret: (name) => wrap(settings.secret(name)),
  });
  const bot = await startBot({
    jobs: onAudit ? { ...jobs, audit: (entry) => (jobs.audit(entry), onAudit(entry)) } : jobs,
    tokens: { bot: settings.slack.botToken, app: settings.slack.appToken },
    ...(settings.slack.apiUrl === undefined ? {} : { slackApiUrl: settings.slack.apiUrl }),
    log,
    mayChange: (user) => config.current().sparkops.operators.includes(user),
    operators: () => config.current().sparkops.operators,
  });

  return {
    jobs,
    async stop() {
      await Promise.allSettled([bot.stop(), worker.stop()]);
      await within(CLOSE_LIMIT_MS, Promise.allSettled([queue.close(), transports.close()]));
      connections.close();
    },
  };
}

/** The configuration as it was last read; jobs read it again at each admission. */
async function followConfig(folder: string): Promise<{ current: () => Config; read: () => Promise<Config> }> {
  let current = await readConfig(folder);
  return { current: () => current, read: async () => (current = await readConfig(folder)) };
}

function openConnections(url: string) {
  const opened: Redis[] = [];
  function keep(redis: Redis): Redis {
    opened.push(redis);
    const duplicate = redis.duplicate.bind(redis);
    // The queue makes more of them by itself, and leaves them open when it could not close in time.
    redis.duplicate = (override) => keep(duplicate(override));
    return redis;
  }
  return {
    open: (options: Pick<RedisOptions, 'commandTimeout' | 'enableOfflineQueue' | 'maxRetriesPerRequest'>): Redis =>
      keep(new Redis(url, options)),
    close(): void {
      for (const redis of opened) redis.disconnect();
    },
  };
}

function wrap(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}

function ownVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return version;
}
