import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { openMachines } from '../cluster/remote/machines.ts';
import type { Secret } from '../cluster/remote/secret.ts';
import type { Transport } from '../cluster/remote/transport.ts';
import { openGate } from './approval/gate.ts';
import { standingOf } from './approval/wait.ts';
import { isEnded, isForeign, type Deployment } from './deployment.ts';
import type { Look } from './looks/look-queue.ts';
import { createRecordWriter, type RecordWriter } from './record-writer.ts';
import type { Journal } from './journal.ts';
import { takeLease, type Lease } from './lease.ts';
import type { Phase } from './phases/phase.ts';
import { runPhases, type Outcome } from './phases/run-phases.ts';
import { learnOfNewer, restoreRun } from './restore.ts';
import { countBreak } from './run/count-break.ts';
import { keepFences } from './run/fences.ts';
import type { Run } from './run/run-phase.ts';
import { withStalls } from './run/stalls.ts';
import { keepSample, samplesOf } from './samples.ts';
import { RunStopped, stopOf } from './stop-reason.ts';
import type { Store } from './store.ts';

/** What every run of this process shares. */
export interface Runner {
  store: Store;
  journal: Journal;
  /** The way to a cluster's nodes. */
  transport: (cluster: string) => Promise<Transport>;
  config: () => Promise<Config>;
  /** How this process looks at nodes. */
  look: Look;
  phasesOf: (record: Deployment) => readonly Phase[];
  secret: (name: string) => Secret | undefined;
  onChange: (listener: (uid: string) => void) => () => void;
  leaseMs: number;
  newToken: () => string;
  now: () => Date;
  log: Logger;
}

export interface RunRequest {
  uid: string;
  /** The queue's count of stalls of this job. */
  stalls: number;
  /** Aborted with RunStopped 'handover' when this process ends. */
  signal: AbortSignal;
  /** Gives the caller a way to make the run look at its lease at once. */
  onLease?: (lease: Lease) => void;
}

/**
 * Runs a deployment from where its record stands. 'nothing': it has ended, or its cluster belongs to another one;
 * 'foreign': a worker of another version must run it.
 */
export async function runDeployment(runner: Runner, request: RunRequest): Promise<Outcome | 'nothing' | 'foreign'> {
  const { store, journal, now } = runner;
  const entry = await journal.find(request.uid);
  if (entry && isForeign(entry.record)) return 'foreign';
  if (!entry || isEnded(entry.record.state)) return 'nothing';
  if (entry.record.state === 'waiting-approval') {
    const standing = await standingOf(runner, entry.record);
    if (standing === 'ended') return 'ended';
    if (standing === 'wait') return 'parked';
  }
  const { number, cluster } = entry.record;
  const log = runner.log.child({ deployment: number });

  const life = new AbortController();
  const cancelled = new AbortController();
  const hurried = new AbortController();
  const stopLife = () => life.abort(request.signal.reason);
  if (request.signal.aborted) stopLife();
  request.signal.addEventListener('abort', stopLife);
  let writer: RecordWriter | undefined;

  const lookForWishes = () => {
    void writer?.refresh().then(
      (record) => {
        abortIfAsked(record, cancelled);
        if (record.stopNow) hurried.abort();
      },
      (error: unknown) => log.debug({ err: error }, 'The record could not be read; trying again at the next renewal'),
    );
  };
  const lease = await takeLease(store, {
    cluster,
    uid: request.uid,
    ttlMs: runner.leaseMs,
    newToken: runner.newToken,
    log,
    onRenewed: lookForWishes,
    onForgotten: async (fence) => {
      if (!writer) return;
      log.warn('The store has lost its memory; this run puts its record back');
      await restoreRun(store, writer.entry, fence);
    },
  });
  if (!lease) {
    request.signal.removeEventListener('abort', stopLife);
    return 'nothing';
  }
  request.onLease?.(lease);
  lease.lost.addEventListener('abort', () => life.abort(new RunStopped({ why: 'lease-lost' })));
  const stopListening = runner.onChange((uid) => {
    if (uid === request.uid) lookForWishes();
  });
  const writing = endingSoonAfter(life.signal);
  writer = createRecordWriter({ journal, entry, token: lease.token, signal: writing.signal, log });

  let stopFences = (): void => undefined;
  try {
    const { plan, recipe, by, createdAt } = entry.record;
    const transport = await runner.transport(cluster);
    const about = { number, run: entry.record.run, recipe, by: by.user, since: createdAt };
    const fences = keepFences({ plan, transport, lease, about, signal: life.signal, log });
    stopFences = fences.stop;
    const run: Run = {
      phases: runner.phasesOf(entry.record),
      writer,
      signal: AbortSignal.any([life.signal, cancelled.signal]),
      life: life.signal,
      hurry: hurried.signal,
      gate: openGate(runner, writer),
      tolerates: async () => (await runner.config()).clusters.get(cluster)?.tolerates ?? [],
      samplesOf: (of) => samplesOf(store, of).catch(() => []),
      leaveSample: (of, sample) => keepSample(store, log, of, sample),
      begun: new Set(),
      raise: fences.raise,
      hasRaised: fences.raised,
      outdateFences: fences.outdate,
      learnOf: (newer) => learnOfNewer(store, newer),
      machines: (signal, { undoing, onRetry }) =>
        openMachines({
          plan,
          transport,
          signal,
          raiseProblems: fences.problems(),
          eachAlone: undoing,
          onRetry: (_node, { message }) => onRetry(message),
          grip: async (waiting) => {
            await lease.grip(waiting);
            return { realm: plan.realm, fence: lease.fence, token: lease.token };
          },
        }),
      secret: runner.secret,
      stopOf: (error) =>
        stopOf(error, (bug, ref) => log.error({ err: bug, ref }, 'A phase broke in a way that nobody foresaw')),
      now,
      log,
    };
    const record = await withStalls(writer, request.stalls, now);
    abortIfAsked(record, cancelled);
    log.info({ state: record.state, phase: record.phase, fence: lease.fence }, 'This process runs the deployment');
    const outcome = await runPhases(run);
    log.info({ outcome, state: writer.record.state }, 'This process is done with the deployment');
    return outcome;
  } catch (error) {
    if (error instanceof RunStopped && error.stop.why === 'lease-lost') return 'lease-lost';
    if (error instanceof RunStopped && error.stop.why === 'handover') return 'handover';
    await countBreak(writer, error, now, log).catch(() => undefined);
    throw error;
  } finally {
    request.signal.removeEventListener('abort', stopLife);
    stopListening();
    stopFences();
    writing.stop();
    await lease
      .release()
      .catch((error: unknown) => log.debug({ err: error }, 'The lease was not released; it runs out'));
  }
}

function abortIfAsked({ cancelAsked, run, pastReturnAt }: Deployment, cancelled: AbortController): void {
  if (cancelAsked && (run === 'deploy' || pastReturnAt === undefined))
    cancelled.abort(new RunStopped({ why: 'cancelled', by: cancelAsked.by }));
}

/** The last words of a run that is handed over are still written, if Redis takes them within a second. */
function endingSoonAfter(life: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => ending.abort(life.reason), 1_000);
  };
  if (life.aborted) onAbort();
  life.addEventListener('abort', onAbort);
  return {
    signal: ending.signal,
    stop: () => {
      clearTimeout(timer);
      life.removeEventListener('abort', onAbort);
      // What is still to be written then would be tried again for as long as Redis is away.
      ending.abort(new RunStopped({ why: 'handover', because: 'The run is over' }));
    },
  };
}
