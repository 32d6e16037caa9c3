import { decideAfterStop, decideStart } from '../decisions/decide-stop.ts';
import type { Deployment, EndState } from '../deployment.ts';
import type { Stop } from '../stop-reason.ts';
import { abortRun } from '../run/abort-run.ts';
import { runPhase, type Run } from '../run/run-phase.ts';
import { ended, superseded, voided } from '../run/record-changes.ts';

export type Outcome = 'ended' | 'handover' | 'lease-lost' | 'parked';

/** Runs what is left of a deployment: begins at the recorded phase, or goes on undoing. */
export async function runPhases(run: Run): Promise<Outcome> {
  const start = decideStart(
    run.writer.record,
    run.phases.map(({ name }) => name),
  );
  if (start.act === 'nothing') return 'ended';
  const stop = start.act === 'undo' ? await abortRun(run) : await goForward(run, start.from);
  return stop ? settle(run, stop) : 'ended';
}

/** Undefined: all phases are done, and the end is written. */
async function goForward(run: Run, from: number): Promise<Stop | undefined> {
  try {
    for (const phase of run.phases.slice(from)) {
      const stop = await runPhase(run, phase);
      if (stop) return stop;
    }
    await run.writer.write((record) => ended(record, goalOf(record), run.now()));
    return undefined;
  } catch (error) {
    return run.stopOf(error);
  }
}

/** What serves is the end of an attempt; the other runs take something away. */
function goalOf({ run }: Deployment): EndState {
  return run === 'deploy' ? 'serving' : 'stopped';
}

async function settle(run: Run, stop: Stop): Promise<Outcome> {
  const next = decideAfterStop(stop);
  switch (next.act) {
    case 'undo': {
      const again = await abortRun(run, next.reason);
      return again ? settle(run, again) : 'ended';
    }
    case 'void':
      await run.writer.write((record) => voided(record, next.text, run.now()));
      return 'ended';
    case 'end':
      await run.learnOf(next.reason.by);
      await run.writer.write((record) => superseded(record, next.reason, run.now()));
      return 'ended';
    case 'leave':
      if (next.outcome === 'lease-lost') {
        run.log.warn('Another process acts for this deployment now; nothing is undone here');
      }
      return next.outcome;
    case 'hand-over':
      await run.writer
        .write((record) => ({ record, event: { kind: 'handover', why: next.because } }))
        .catch(() => undefined);
      return 'handover';
  }
}
