import { setTimeout as sleep } from 'node:timers/promises';
import { abortSteps, type AbortStep, type Failure } from '../decisions/decide-stop.ts';
import type { Deployment, EndState } from '../deployment.ts';
import { RunStopped, type Stop } from '../stop-reason.ts';
import type { Phase } from '../phases/phase.ts';
import { phaseContext, type ContextOptions } from './phase-context.ts';
import { aborting, ended, phaseRecord, phaseUndone } from './record-changes.ts';
import { untilAborted, type Run } from './run-phase.ts';

/**
 * Writes `aborting` with its reason, undoes newest first, writes the end. Without a reason: goes on with an abort that is recorded.
 * Resolves with why it stopped before its end, if it did.
 */
export async function abortRun(run: Run, reason?: Failure): Promise<Interrupted | undefined> {
  try {
    const options = { fresh: reason !== undefined, raised: run.hasRaised() };
    const steps = abortSteps(run.phases.flatMap(asBegun(run)), options);
    for (const step of steps) await take(run, step, reason);
    return undefined;
  } catch (error) {
    const stop = run.stopOf(run.life.aborted ? run.life.reason : error);
    if (interrupts(stop)) return stop;
    throw error;
  }
}

/** What keeps an abort from its end. */
type Interrupted = Extract<Stop, { why: 'lease-lost' | 'handover' | 'superseded' }>;

function interrupts(stop: Stop): stop is Interrupted {
  return stop.why === 'lease-lost' || stop.why === 'handover' || stop.why === 'superseded';
}

function asBegun({ begun, writer }: Run) {
  return (phase: Phase) => {
    const state = phaseRecord(writer.record, phase.name)?.state;
    if ((state === undefined || state === 'waiting') && !begun.has(phase.name)) return [];
    return [{ phase, changes: phase.act !== undefined, undoes: phase.undo !== undefined, undone: state === 'undone' }];
  };
}

async function take(run: Run, step: AbortStep<Phase>, reason: Failure | undefined): Promise<void> {
  switch (step.act) {
    case 'write-aborting':
      if (reason) await run.writer.write((record) => aborting(record, reason, run.now()));
      return;
    case 'raise':
      if (step.higher) run.outdateFences();
      return raiseBeforeUndo(run);
    case 'undo':
      return undoOne(run, step.phase);
    case 'write-end':
      await run.writer.write((record) => ended(record, endState(record), run.now()));
      return;
  }
}

/** One that can't be raised now is raised again by each undo. */
async function raiseBeforeUndo(run: Run): Promise<void> {
  const signal = AbortSignal.any([run.life, AbortSignal.timeout(run.writer.record.plan.limits.raiseMs)]);
  try {
    await untilAborted(signal, run.raise(signal));
  } catch (error) {
    const stop = run.stopOf(run.life.aborted ? run.life.reason : error);
    if (interrupts(stop)) throw new RunStopped(stop);
  }
}

/** A run that stops a deployment undoes nothing: it serves as before, as far as anyone knows. */
export function endState({ run, aborting }: Deployment): EndState {
  return run === 'stop' ? 'serving' : (aborting?.to ?? 'failed');
}

/** An undo that fails is noted and passed over: the first error is the one told, and the other phases are still undone. */
async function undoOne(run: Run, phase: Phase): Promise<void> {
  const limitMs = run.writer.record.plan.limits.undoMs;
  const limit = new AbortController();
  const endsAt = performance.now() + limitMs;
  const timer = setTimeout(() => limit.abort(undoTooLate(phase, limitMs)), limitMs);
  // Fresh: the signal that stopped the run would stop its undo as well.
  const signal = AbortSignal.any([run.life, limit.signal]);
  let lastSeen = '';
  try {
    for (let wait = 200; ; wait = Math.min(wait * 2, 5_000)) {
      const stop = await untilAborted(signal, undoPhase(run, phase, { signal, endsAt, undoing: true })).catch(
        (error: unknown) => run.stopOf(signal.aborted ? signal.reason : error),
      );
      if (!stop) break;
      if (interrupts(stop)) throw new RunStopped(stop);
      if (stop.why === 'unknown') {
        lastSeen = stop.cause.text;
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const cause = stop.why === 'failed' ? stop.cause : { text: 'cancelled', lines: [] };
      const seen = lastSeen ? ` (${lastSeen})` : '';
      await phaseContext(run, phase.name, { signal, endsAt }).note(
        'warning',
        `What ${phase.name} started could not be removed: ${cause.text}${seen}`,
        {
          lines: cause.lines,
          ...(cause.node !== undefined && { node: cause.node }),
        },
      );
      return;
    }
  } finally {
    clearTimeout(timer);
    limit.abort(new Error(`Undoing ${phase.name} is over`));
  }
  await run.writer.write((record) => phaseUndone(record, phase.name, run.now()));
}

async function undoPhase(run: Run, phase: Phase, options: ContextOptions): Promise<undefined> {
  // What can be removed is removed, also when another node is away.
  await run.raise(options.signal);
  await phase.undo?.(phaseContext(run, phase.name, options));
}

function undoTooLate({ name }: Phase, limitMs: number): RunStopped {
  return new RunStopped({
    why: 'failed',
    cause: { text: `undoing ${name} took longer than ${limitMs / 1_000} s`, lines: [] },
    remedy: '',
  });
}
