import { DelayedError, WaitingError, Worker, type Job, type Telemetry } from 'bullmq';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Timeouts } from '../config/sparkops-file.ts';
import type { Lease } from './lease.ts';
import type { Outcome } from './phases/run-phases.ts';
import { within } from '../within.ts';
import type { DeployJob } from './queue.ts';
import { runDeployment, type Runner } from './runner.ts';
import { RunStopped } from './stop-reason.ts';

export interface DeployWorkerOptions {
  runner: Omit<Runner, 'leaseMs' | 'newToken'>;
  blocking: () => Redis;
  timeouts: Pick<Timeouts, 'lease' | 'job_lock' | 'stall_check' | 'approval_look'>;
  log: Logger;
  telemetry?: Telemetry;
}

type RunJob = Job<DeployJob, void, 'run'>;

/** Another worker, of the version that wrote a record, has this long to take it before we are asked again. */
const FOREIGN_MS = 2_000;
/** A stop is over by then, whatever Redis does: what is not handed over is found stalled by another worker. */
const STOP_MS = 1_800;

/** Runs the deployments that the queue gives it, many at a time. */
export function startDeployWorker({ runner, blocking, timeouts, log, telemetry }: DeployWorkerOptions): {
  isRunning: () => boolean;
  stop: () => Promise<void>;
} {
  const ending = new AbortController();
  const running = new Map<string, { outcome: Promise<Outcome | 'nothing' | 'foreign'>; lease?: Lease }>();

  async function process(job: RunJob, token: string | undefined): Promise<void> {
    const outcome = ending.signal.aborted ? 'handover' : await runOnce(job.data.uid, job.stalledCounter);
    if (outcome === 'foreign') {
      log.warn({ uid: job.data.uid }, 'A newer sparkops wrote this record: it is left to a worker of that version');
      await job.moveToDelayed(Date.now() + FOREIGN_MS, token);
      throw new DelayedError();
    }
    if (outcome === 'parked') {
      await job.moveToDelayed(Date.now() + timeouts.approval_look, token);
      throw new DelayedError();
    }
    if (outcome !== 'handover') return;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** A job can come twice while its run goes on here: its lock ran out, or Redis lost it and it was put back. */
  async function runOnce(uid: string, stalls: number): Promise<Outcome | 'nothing' | 'foreign'> {
    const already = running.get(uid);
    if (already) return already.outcome;
    const run: { outcome: Promise<Outcome | 'nothing' | 'foreign'>; lease?: Lease } = {
      outcome: runDeployment(
        { ...runner, leaseMs: timeouts.lease, newToken: randomUUID },
        {
          uid,
          stalls,
          signal: ending.signal,
          onLease: (lease) => {
            run.lease = lease;
          },
        },
      ),
    };
    running.set(uid, run);
    try {
      return await run.outcome;
    } catch (error) {
      log.error({ err: error, uid }, 'A run broke; another worker, or this one, takes it up again');
      throw error;
    } finally {
      running.delete(uid);
    }
  }

  const worker = new Worker<DeployJob, void, 'run'>('deploys', process, {
    connection: blocking(),
    prefix: runner.store.keys.prefix,
    concurrency: 50,
    lockDuration: timeouts.job_lock,
    stalledInterval: timeouts.stall_check,
    // The record counts, per phase: the queue's own count is over the whole deploy.
    maxStalledCount: 100,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    // Seconds: a wake-up that was lost with another process's connection costs no more than this.
    drainDelay: 2,
    runRetryDelay: 1_000,
    ...(telemetry && { telemetry }),
  });
  worker.on('error', (error) => log.debug({ err: error }, 'Queue deploys'));
  worker.on('lockRenewalFailed', (jobs) => {
    // Another worker may have the job. If so, it takes the lease too, and that decides.
    for (const job of jobs) running.get(job.split('-')[1] ?? '')?.lease?.check();
  });

  return {
    isRunning: () => worker.isRunning() && !worker.isPaused(),
    stop: async () => {
      const paused = worker.pause(true);
      ending.abort(new RunStopped({ why: 'handover', because: 'The worker stops' }));
      await within(
        STOP_MS,
        paused.then(() => worker.close()),
      );
    },
  };
}
