import type { Telemetry } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Secret } from '../cluster/remote/secret.ts';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import type { Changes } from './changes.ts';
import { phasesOf, type PhaseTable } from './deploy.ts';
import { startHeadOutbox } from './head-outbox/deliver.ts';
import type { Journal } from './journal.ts';
import { startLookWorker, type Look } from './looks/look-queue.ts';
import { within } from '../within.ts';
import type { DeployQueue } from './queue.ts';
import { startReconciler } from './reconcile/reconciler.ts';
import type { Store } from './store.ts';
import type { Transports } from './transports.ts';
import { startDeployWorker } from './worker.ts';

export interface WorkerParts {
  store: Store;
  journal: Journal;
  changes: Changes;
  queue: DeployQueue;
  /** New connections that queue while they reconnect and have no command timeout. */
  blocking: () => Redis;
  config: () => Promise<Config>;
  transports: Transports;
  phases: PhaseTable;
  secret: (name: string) => Secret | undefined;
  /** How this process looks at nodes. */
  look: Look;
  now: () => Date;
  log: Logger;
  /** Told by the queues of each job. */
  telemetry?: Telemetry | undefined;
}

const CLOSE_MS = 500;

export interface RunningWorker {
  /** Whether it takes jobs and looks. */
  isRunning: () => boolean;
  /** When store, queue and nodes were last brought together. */
  lastRound: () => Date | undefined;
  stop: () => Promise<void>;
}

/** The part of a process that reaches machines: runs deployments and looks, and keeps store, queue and nodes together. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { store, journal, changes, blocking, config, transports, phases, secret, now, log } = parts;
  const { timeouts } = (await config()).sparkops;
  const telemetry = parts.telemetry && { telemetry: parts.telemetry };
  const deploys = startDeployWorker({
    runner: {
      store,
      journal,
      transport: async (name) => {
        const cluster = (await config()).clusters.get(name);
        if (cluster) return transports.to(cluster);
        throw new OperatorError('config', `clusters/${name}.yaml is gone, so there is no way to its nodes.`, {
          hint: 'Put the file back; the run goes on by itself.',
        });
      },
      config,
      look: parts.look,
      phasesOf: (record) => phasesOf(phases, record),
      secret,
      onChange: changes.on,
      now,
      log,
    },
    blocking,
    timeouts,
    log,
    ...telemetry,
  });
  const looks = startLookWorker({ realm: store.realm, blocking, log, ...telemetry }, parts.look);
  const reconciler = startReconciler({ ...parts, everyMs: timeouts.reconcile });
  const heads = startHeadOutbox({ ...parts, everyMs: timeouts.reconcile });
  return {
    isRunning: () => deploys.isRunning() && looks.isRunning(),
    lastRound: reconciler.lastRound,
    stop: async () => {
      await Promise.allSettled([
        deploys.stop(),
        within(CLOSE_MS, looks.close()),
        within(CLOSE_MS, reconciler.stop()),
        within(CLOSE_MS, heads.stop()),
      ]);
    },
  };
}
