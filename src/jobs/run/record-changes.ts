import type { Progress } from '../../cluster/finding.ts';
import type { Deployment, EndState, PhaseName, PhaseRecord } from '../deployment.ts';
import type { EventBody } from '../events.ts';
import type { Stop } from '../stop-reason.ts';

// What each step of a run makes of the record, and the event that tells of it. Pure, and harmless when applied twice.

export interface RecordChange {
  record: Deployment;
  event?: EventBody;
}

export function phaseRecord(record: Deployment, name: PhaseName): PhaseRecord | undefined {
  return record.phases.find((phase) => phase.name === name);
}

export function phaseStarted(record: Deployment, name: PhaseName, at: Date): RecordChange {
  const earlier = phaseRecord(record, name);
  const started = {
    state: 'running' as const,
    startedAt: earlier?.startedAt ?? at.toISOString(),
    attempts: (earlier?.attempts ?? 0) + 1,
  };
  return {
    record: {
      ...withPhase(withoutProgress(record), name, started),
      state: 'running',
      phase: name,
      stalls: record.phase === name ? record.stalls : 0,
    },
    event: { kind: 'phase', phase: name, state: 'running' },
  };
}

export function phaseDone(record: Deployment, name: PhaseName, saw: string, at: Date): RecordChange {
  return {
    record: withPhase(withoutProgress(record), name, { state: 'done', endedAt: at.toISOString(), saw }),
    event: { kind: 'phase', phase: name, state: 'done', saw },
  };
}

export function phaseUndone(record: Deployment, name: PhaseName, at: Date): RecordChange {
  return {
    record: withPhase(record, name, { state: 'undone', endedAt: at.toISOString() }),
    event: { kind: 'phase', phase: name, state: 'undone' },
  };
}

/** Written before anything is undone, so that a takeover only undoes. */
export function aborting(
  record: Deployment,
  stop: Extract<Stop, { why: 'failed' | 'cancelled' }>,
  at: Date,
): RecordChange {
  const running = record.phases.find(({ state }) => state === 'running');
  const marked =
    stop.why === 'failed' && running
      ? withPhase(record, running.name, {
          state: 'failed',
          endedAt: at.toISOString(),
          saw: stop.cause.short ?? stop.cause.text,
        })
      : record;
  const where = record.phase && { phase: record.phase };
  if (stop.why === 'cancelled') {
    return {
      record: { ...marked, state: 'aborting', aborting: { to: 'cancelled', by: stop.by } },
      event: { kind: 'aborting', to: 'cancelled', ...where, by: stop.by },
    };
  }
  return {
    record: { ...marked, state: 'aborting', aborting: { to: 'failed' }, cause: stop.cause, remedy: stop.remedy },
    event: { kind: 'aborting', to: 'failed', ...where, cause: stop.cause },
  };
}

export function ended(record: Deployment, state: EndState, at: Date): RecordChange | undefined {
  if (record.state === state) return undefined;
  const { aborting: why, ...settled } = withoutProgress(record);
  const { cause, remedy } = record;
  const phases = record.phases.map((phase) =>
    phase.state === 'running' ? { ...phase, state: 'undone' as const, endedAt: at.toISOString() } : phase,
  );
  return {
    record: {
      ...settled,
      // A stop that failed leaves a deployment that serves: nothing of it is being undone.
      ...(why && state !== 'serving' && { aborting: why }),
      phases,
      state,
      endedAt: at.toISOString(),
      ...(state === 'serving' && { endpoint: record.endpoint ?? record.plan.endpoint }),
    },
    event: { kind: 'ended', state, ...(cause && { cause }), ...(remedy !== undefined && { remedy }) },
  };
}

export function progressed(record: Deployment, progress: Progress): RecordChange {
  return { record: { ...record, progress }, event: { kind: 'progress' } };
}

function withPhase(record: Deployment, name: PhaseName, change: Partial<PhaseRecord>): Deployment {
  return {
    ...record,
    phases: record.phases.map((phase) => (phase.name === name ? { ...phase, ...change } : phase)),
  };
}

function withoutProgress(record: Deployment): Deployment {
  const next = { ...record };
  delete next.progress;
  return next;
}
