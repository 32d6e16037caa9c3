import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../cluster/finding.ts';
import { isEnded, type Cause, type Deployment, type PhaseName } from '../deployment.ts';
import { durationText } from '../duration-text.ts';
import type { Gate } from '../approval/gate.ts';
import type { RecordWriter } from '../record-writer.ts';
import { RunStopped, type Stop } from '../stop-reason.ts';
import type { Phase, PhaseContext, Verdict } from '../phases/phase.ts';
import { phaseContext, type ContextOptions } from './phase-context.ts';
import { phaseDone, phaseStarted } from './record-changes.ts';

/** One process's run of a deployment. */
export interface Run {
  phases: readonly Phase[];
  writer: RecordWriter;
  /** Aborted with RunStopped: a cancel, a lost lease, a hand-over. */
  signal: AbortSignal;
  /** As `signal`, but a cancel does not abort it: undoing goes on through it. */
  life: AbortSignal;
  /** Aborted by [Stop now]. */
  hurry: AbortSignal;
  gate: Gate;
  tolerates: PhaseContext['tolerates'];
  samplesOf: PhaseContext['samplesOf'];
  leaveSample: PhaseContext['leaveSample'];
  /** The phases that this process has begun: the store may lose that they are written down as such. */
  begun: Set<PhaseName>;
  /** Raises the fence on every node that it is not raised on. Resolves with what stands against it. */
  raise: (signal: AbortSignal) => Promise<readonly Finding[]>;
  /** Whether that has come to its end once. */
  hasRaised: () => boolean;
  /** The next raise takes a higher fence. */
  outdateFences: () => void;
  /** The nodes have seen a deployment with this number, which the store may not know. */
  learnOf: (number: number) => Promise<void>;
  machines: (signal: AbortSignal, options: MachineOptions) => PhaseContext['machines'];
  secret: PhaseContext['secret'];
  stopOf: (error: unknown) => Stop;
  now: () => Date;
  log: Logger;
}

interface MachineOptions {
  /** A node whose fence is not raised keeps only itself from being changed. */
  undoing: boolean;
  /** Hears why a reading command is about to be tried again. */
  onRetry: (why: string) => void;
}

/** Undefined: done. */
export async function runPhase(run: Run, phase: Phase): Promise<Stop | undefined> {
  const { plan } = run.writer.record;
  const limitMs = limitOf(plan, phase.name);
  let lastSeen: Seen = { text: '' };

  await run.writer.write((record) => {
    // Somebody's "no" has ended it meanwhile.
    if (isEnded(record.state)) throw new RunStopped({ why: 'lease-lost' });
    return phaseStarted(record, phase.name, run.now());
  });
  run.begun.add(phase.name);
  const limit = new AbortController();
  const endsAt = performance.now() + limitMs;
  const timer = setTimeout(() => limit.abort(new RunStopped(tooLate(phase.name, limitMs, lastSeen))), limitMs);
  const signal = AbortSignal.any([run.signal, limit.signal]);
  const onSeen = (text: string): void => {
    lastSeen = { text };
  };
  try {
    for (let wait = 200; ; wait = Math.min(wait * 2, 5_000)) {
      const work = attempt(run, phase, { signal, endsAt, onSeen });
      const stop = await untilAborted(signal, work).catch((error: unknown) =>
        run.stopOf(signal.aborted ? signal.reason : error),
      );
      if (stop?.why !== 'unknown') return stop;
      if (lastSeen.text !== stop.cause.text) run.log.warn({ phase: phase.name }, `${stop.cause.text}; looking again`);
      lastSeen = stop.cause;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
    // What the phase leaves running ends with it: a poll that lost its race, a progress that was to be written.
    limit.abort(new Error(`${phase.name} is over`));
  }
}

/** Look, act, look. */
async function attempt(run: Run, phase: Phase, options: ContextOptions): Promise<Stop | undefined> {
  const [problem] = await run.raise(options.signal);
  // In preflight a node that can't be raised is a row beside the others; later nothing may be changed before it is.
  if (problem && phase.name !== 'preflight') return { why: 'unknown', ...findingCause(problem) };

  const ctx = phaseContext(run, phase.name, options);
  let verdict = await phase.look(ctx);
  if (verdict.state === 'needed' && phase.act) {
    options.onSeen?.(verdict.saw);
    await phase.act(ctx);
    verdict = await phase.look(ctx);
  }
  switch (verdict.state) {
    case 'parked':
      return { why: 'parked' };
    case 'void':
      return { why: 'void', text: verdict.why };
    case 'needed':
    case 'blocked':
      return { why: 'failed', ...verdictCause(phase, verdict) };
    case 'done':
      break;
  }
  const { saw } = verdict;
  if (phase.name === 'stop-previous') await run.gate.replaced();
  await run.writer.write((record) => phaseDone(record, phase.name, saw, run.now()));
  return undefined;
}

/** A phase that doesn't listen to its signal must not keep the run from stopping. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A plan of an earlier version has none for a phase that came later. */
const NEW_PHASE_MS = 60_000;

function limitOf({ limits }: Deployment['plan'], name: PhaseName): number {
  const byName: Partial<Record<PhaseName, number>> = limits.phases;
  return byName[name] ?? NEW_PHASE_MS;
}

function verdictCause(phase: Phase, verdict: Extract<Verdict, { state: 'needed' | 'blocked' }>) {
  if (verdict.state === 'blocked') return findingCause(verdict.finding);
  return {
    cause: { text: `${phase.name} did not reach its goal: ${verdict.saw}`, lines: [] },
    remedy: 'The logs of the engine and the containers say more; then deploy again.',
  };
}

function findingCause({ text, short, node, lines, remedy }: Finding) {
  return {
    cause: { text, lines, ...(node !== undefined && { node }), ...(short !== undefined && { short }) },
    remedy,
  };
}

/** What a phase saw before its limit, with the node and the lines that prove it where there are such. */
type Seen = Partial<Cause> & { text: string };

function tooLate(name: PhaseName, limitMs: number, { text, node, lines = [] }: Seen): Stop {
  const seen = text ? ` Last seen: ${text}` : '';
  return {
    why: 'failed',
    cause: {
      text: `${name} was not done within its limit of ${durationText(limitMs)}.${seen}`,
      short: `${name} took longer than ${durationText(limitMs)}`,
      ...(node !== undefined && { node }),
      lines,
    },
    remedy: `Look at what it waited for. The limit is timeouts.${name.replaceAll('-', '_')} in sparkops.yaml.`,
  };
}
