import type { Progress } from '../../cluster/finding.ts';
import type { Approval, ApprovalFacts, ApprovalTerms } from '../approval/approval.ts';
import type { Action, Cause, Deployment, EndState, Person, PhaseName, PhaseRecord, Serving } from '../deployment.ts';
import type { EventBody } from '../events.ts';
import type { Superseded } from '../decisions/decide-stop.ts';
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
  const marked = stop.why === 'failed' ? withFailed(record, stop.cause, at) : record;
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

interface Asked {
  action: Action;
  by: Person;
  facts: ApprovalFacts;
  terms: ApprovalTerms;
  expiresMs: number;
}

/** Nobody is asked twice: a run that was killed right after it asked finds its request. */
export function askedForApproval(
  record: Deployment,
  { action, by, facts, terms, expiresMs }: Asked,
  at: Date,
): RecordChange | undefined {
  if (record.approval && !record.approval.decision) return undefined;
  const approval: Approval = {
    id: (record.approval?.id ?? 0) + 1,
    action,
    by,
    at: at.toISOString(),
    until: new Date(at.getTime() + expiresMs).toISOString(),
    terms,
    facts,
    votes: [],
  };
  return { record: { ...record, approval }, event: { kind: 'approval-asked', id: approval.id, action, by } };
}

/** The run itself waits for the answer. */
export function waiting(record: Deployment): Deployment {
  return { ...withoutProgress(record), state: 'waiting-approval' };
}

/** What came of a word about the request, or of its time. */
export function approvalChanged(record: Deployment, approval: Approval): RecordChange | undefined {
  if (approval === record.approval) return undefined;
  const { id, decision, votes } = approval;
  const vote = votes.at(-1);
  const changed = { ...record, approval };
  if (decision) return { record: changed, event: { kind: 'approval-decided', id, decision } };
  return {
    record: changed,
    ...(vote && { event: { kind: 'approval-vote' as const, id, by: vote.by, when: vote.when } }),
  };
}

/** Nothing was touched: what was agreed to, or admitted, no longer says what would happen. */
export function voided(record: Deployment, why: string, at: Date): RecordChange | undefined {
  const decision = { kind: 'void' as const, at: at.toISOString(), why };
  const cause = { text: `Nothing was done: ${why}`, lines: [] };
  const next = { ...record, cause, ...(record.approval && { approval: { ...record.approval, decision } }) };
  return ended(next, unchangedEnd(record, 'void'), at);
}

/** Given up without an undo: what it has started is gone, or will be removed for the newer attempt. */
export function superseded(record: Deployment, { by, cause, remedy }: Superseded, at: Date): RecordChange | undefined {
  return ended({ ...withFailed(record, cause, at), cause, remedy, replacedBy: by }, 'failed', at);
}

/** How a run ends before it has changed anything: one that was to stop a deployment leaves it serving. */
export function unchangedEnd({ run }: Deployment, state: EndState): EndState {
  return run === 'stop' ? 'serving' : state;
}

/** From here on what served before may be gone. */
export function passedReturn(record: Deployment, replaces: readonly Serving[], at: Date): RecordChange {
  return {
    record: {
      ...record,
      state: 'running',
      replaces: replaces.map(({ uid, number, recipe }) => ({ uid, number, recipe })),
      pastReturnAt: record.pastReturnAt ?? at.toISOString(),
    },
  };
}

/** Another deployment took its place. */
export function replaced(record: Deployment, number: number, at: Date): RecordChange | undefined {
  if (record.state !== 'serving') return undefined;
  return ended({ ...record, replacedBy: number }, 'replaced', at);
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
      ...closed(record, at),
      phases,
      state,
      endedAt: at.toISOString(),
      ...(state === 'serving' && { endpoint: record.endpoint ?? record.plan.endpoint }),
    },
    event: { kind: 'ended', state, ...(cause && { cause }), ...(remedy !== undefined && { remedy }) },
  };
}

/** Nobody can decide any more about something that is over. */
function closed({ approval }: Deployment, at: Date): Pick<Deployment, 'approval'> {
  if (!approval || approval.decision) return {};
  return { approval: { ...approval, decision: { kind: 'void', at: at.toISOString(), why: 'it is over' } } };
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

/** The phase that was running is the one that failed. */
function withFailed(record: Deployment, { short, text }: Cause, at: Date): Deployment {
  const running = record.phases.find(({ state }) => state === 'running');
  if (!running) return record;
  return withPhase(record, running.name, { state: 'failed', endedAt: at.toISOString(), saw: short ?? text });
}

function withoutProgress(record: Deployment): Deployment {
  const next = { ...record };
  delete next.progress;
  return next;
}
