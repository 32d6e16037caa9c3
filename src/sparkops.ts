import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { startBot, type Bot } from './bot/app.ts';
import { Secret } from './cluster/remote/secret.ts';
import type { LinkEvent } from './cluster/remote/link-pool.ts';
import { sshTransport } from './cluster/remote/ssh-transport.ts';
import type { Config } from './config/config.ts';
import { readConfig } from './config/load-config.ts';
import { OperatorError } from './errors.ts';
import { openConnections } from './connections.ts';
import { openAudit } from './jobs/audit.ts';
import { watchChanges } from './jobs/changes.ts';
import { createJobs } from './jobs/create-jobs.ts';
import { createJournal } from './jobs/journal.ts';
import type { AuditEntry, Jobs } from './jobs/jobs.ts';
import { type LookQueueClient, openLookQueue } from './jobs/looks/look-queue.ts';
import { runLook } from './jobs/looks/run-look.ts';
import type { LookRequest } from './jobs/looks/look-requests.ts';
import { PHASES } from './jobs/phases/all.ts';
import { openDeployQueue } from './jobs/queue.ts';
import { within } from './within.ts';
import { type RunningWorker, startWorker } from './jobs/start-worker.ts';
import { logStore } from './jobs/store-watch.ts';
import { keepSample } from './jobs/samples.ts';
import { openStore } from './jobs/store.ts';
import { openTransports } from './jobs/transports.ts';
import { createMetrics } from './operation/metrics.ts';
import { observedJournal } from './operation/observed-journal.ts';
import { startOperation } from './operation/start-operation.ts';
import { openTelemetry } from './operation/telemetry.ts';
import type { Settings, SlackSettings } from './settings.ts';

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

/**
 * Puts a process of sparkops together: bot, worker or both, as the settings have what each needs. Rejects with 'config'
 * for a broken configuration, a wrong token or a port that is taken; waits for nothing else.
 */
export async function startSparkops(settings: Settings, { log, onAudit }: SparkopsOptions): Promise<Sparkops> {
  const config = await followConfig(settings.configFolder, log);
  const { sparkops } = config.current();
  const now = () => new Date();
  const version = ownVersion();
  const roles = [...(settings.slack ? ['bot'] : []), ...(settings.worker ? ['worker'] : [])];
  const metrics = createMetrics({ version, roles });
  const telemetry = settings.operation.telemetry ? await openTelemetry(version) : undefined;

  const connections = openConnections(settings.redisUrl);
  const redis = connections.open({ commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false });
  logStore(redis, log);
  const blocking = () => connections.open({ maxRetriesPerRequest: null });
  const store = openStore(sparkops.name, redis);
  const audit = openAudit({ store, now, log });
  const journal = observedJournal(createJournal(store, now), (record, event) => {
    metrics.recordChanged(record, event);
    audit.recordChanged(record, event);
  });
  const changes = await watchChanges(store, blocking(), log);
  const queue = openDeployQueue({ realm: sparkops.name, redis, log, telemetry });

  const transports = openTransports((cluster) =>
    sshTransport(cluster, {
      connectMs: sparkops.timeouts.connect,
      agentSocket: settings.worker?.sshAgent,
      log: (event) => logLink(log, cluster.name, event),
    }),
  );
  const looks: LookQueueClient | undefined = settings.worker
    ? undefined
    : openLookQueue({ realm: sparkops.name, redis, blocking, log, ...(telemetry && { telemetry }) });
  const look =
    looks?.look ??
    ((request: LookRequest) =>
      runLook(
        {
          config: config.last,
          transports,
          now,
          secret: (name) => wrap(settings.worker?.secret(name)),
          leaveSample: (uid, sample) => keepSample(store, log, uid, sample),
        },
        request,
      ));
  const shared = { store, journal, changes, queue, look, now, log };
  const jobs = createJobs({
    ...shared,
    audit,
    config: config.read,
    lastConfig: config.last,
    ...(settings.worker && { secrets: settings.worker.secret }),
    sparkopsVersion: version,
  });

  let worker: RunningWorker | undefined;
  let bot: Bot | undefined;
  let operation: { stop: () => Promise<void> } | undefined;
  async function stop(): Promise<void> {
    await Promise.allSettled([bot?.stop(), worker?.stop(), operation?.stop()]);
    await within(CLOSE_LIMIT_MS, jobs.audited());
    await within(CLOSE_LIMIT_MS, Promise.allSettled([looks?.close(), queue.close(), transports.close()]));
    connections.close();
  }

  try {
    if (settings.worker) {
      const { secret } = settings.worker;
      worker = await startWorker({
        ...shared,
        config: config.last,
        blocking,
        transports,
        phases: PHASES,
        secret: (name) => wrap(secret(name)),
        telemetry,
      });
    }
    if (settings.slack) {
      bot = await startBot({
        ...slackOptions(settings.slack),
        jobs: {
          ...jobs,
          audit: (entry) => {
            jobs.audit(entry);
            metrics.commands.inc({ decision: entry.decision });
            onAudit?.(entry);
          },
        },
        onSlackCall: (call) => metrics.slackCalls.inc({ ...call }),
        log,
        rights: async () => (await config.last()).sparkops,
      });
    }
    operation = await startOperation({
      settings: settings.operation,
      metrics,
      sources: {
        version,
        redis,
        now,
        ...(bot && { slack: bot.health }),
        ...(worker && { worker: { ...worker, reconcileMs: sparkops.timeouts.reconcile } }),
        ...(looks && { workersElsewhere: looks.workers }),
      },
      ...(bot && { sockets: () => bot?.health().sockets ?? 0 }),
      store,
      redis,
      queue,
      clusters: () => config.current().clusters.keys(),
      log,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { jobs, stop };
}

function slackOptions({ botToken, way, apiUrl }: SlackSettings) {
  return {
    tokens: { bot: botToken, ...(way.kind === 'socket' && { app: way.appToken }) },
    ...(way.kind === 'http' && { http: { signingSecret: way.signingSecret, host: way.host, port: way.port } }),
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  };
}

interface FollowedConfig {
  current: () => Config;
  /** Rejects with 'config' while it is broken. */
  read: () => Promise<Config>;
  /** As `read`; while that is broken, as it was before. */
  last: () => Promise<Config>;
}

/** The configuration is read again whenever it is needed, and what runs outlives a file that is broken for a while. */
async function followConfig(folder: string, log: Logger): Promise<FollowedConfig> {
  let current = await readConfig(folder);
  let told = '';
  const read = async () => (current = await readConfig(folder));
  return {
    current: () => current,
    read,
    last: async () => {
      try {
        const config = await read();
        told = '';
        return config;
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        if (told !== error.message)
          log.warn({ lines: error.lines }, `${error.message} Going on with the last good one.`);
        told = error.message;
        return current;
      }
    },
  };
}

function logLink(log: Logger, cluster: string, event: LinkEvent): void {
  if (event.kind === 'lost') log.warn({ cluster, why: event.why }, `The SSH connection to ${event.place} is lost`);
  else log.debug({ cluster, ms: event.ms }, `Connected to ${event.place} over SSH`);
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
