import type { Stop } from '../stop-reason.ts';
import { abortRun } from '../run/abort-run.ts';
import { runPhase, type Run } from '../run/run-phase.ts';
import { ended, phaseRecord } from '../run/record-changes.ts';

export type Outcome = 'ended' | 'handover' | 'lease-lost';

/** Runs what is left of a deployment: begins at the recorded phase, or goes on undoing. */
export async function runPhases(run: Run): Promise<Outcome> {
  const stop = run.writer.record.state === 'aborting' ? await abortRun(run) : await goForward(run);
  return stop ? settle(run, stop) : 'ended';
}

/** Undefined: all phases are done, and the end is written. */
async function goForward(run: Run): Promise<Stop | undefined> {
  try {
    for (const phase of run.phases.slice(firstPhase(run))) {
      const stop = await runPhase(run, phase);
      if (stop) return stop;
    }
    await run.writer.write((record) => ended(record, record.run === 'stop' ? 'stopped' : 'serving', run.now()));
    return undefined;
  } catch (error) {
    return run.stopOf(error);
  }
}

/** A takeover begins at the recorded phase; one that was recorded as done is not run again. */
function firstPhase({ phases, writer }: Run): number {
  const { record } = writer;
  const at = phases.findIndex(({ name }) => name === record.phase);
  const phase = phases[at];
  if (!phase) return 0;
  return phaseRecord(record, phase.name)?.state === 'done' ? at + 1 : at;
}

async function settle(run: Run, stop: Stop): Promise<Outcome> {
  switch (stop.why) {
    case 'failed':
    case 'cancelled': {
      const again = await abortRun(run, stop);
      return again ? settle(run, again) : 'ended';
    }
    case 'unknown':
      // A phase turns it into 'failed' at its limit; here nothing is left to look at.
      return settle(run, { ...stop, why: 'failed' });
    case 'lease-lost':
      run.log.warn('Another process acts for this deployment now; nothing is undone here');
      return 'lease-lost';
    case 'handover':
      await run.writer
        .write((record) => ({ record, event: { kind: 'handover', why: stop.because } }))
        .catch(() => undefined);
      return 'handover';
  }
}
