import { OperatorError } from '../../errors.ts';
import { isEnded, isSame, type Deployment, type EndState } from '../deployment.ts';
import type { Decide, Jobs } from '../jobs.ts';
import { numbered, type Journal } from '../journal.ts';
import { person } from '../new-record.ts';
import { approvalChanged, ended, unchangedEnd, type RecordChange } from '../run/record-changes.ts';
import type { Approval, Decision } from './approval.ts';
import { decide } from './decide.ts';

export interface ApprovalParts {
  journal: Journal;
  /** Wakes the run that waits for the decision. Best effort: it wakes by itself within seconds. */
  wake: (job: string) => Promise<void>;
  now: () => Date;
}

/** What people say about requests, and about the runs that came of them. */
export function openApprovals({ journal, wake, now }: ApprovalParts): Pick<Jobs, 'decide' | 'stopNow' | 'extend'> {
  async function say({ number, id, say: word, by }: Decide): Promise<Deployment> {
    const { record } = await numbered(journal, number);
    const who = person(by);
    const entry = await journal.change(record.uid, (latest) => {
      const at = now();
      const passed = latest.pastReturnAt !== undefined;
      return afterDecision(latest, decide(open(latest, id), word, who, { now: at, passed }), at);
    });
    if (entry.record.approval?.decision?.kind === 'approved') await wake(entry.job);
    return entry.record;
  }

  async function stopNow({ number, by }: Parameters<Jobs['stopNow']>[0]): Promise<Deployment> {
    const { record } = await numbered(journal, number);
    const asked = { by: person(by), at: now().toISOString() };
    const entry = await journal.change(record.uid, (latest) => {
      if (latest.drainUntil === undefined || isEnded(latest.state)) throw nothingDrains(latest);
      return latest.stopNow ? undefined : { record: { ...latest, stopNow: asked } };
    });
    return entry.record;
  }

  async function extend({ number, until, by }: Parameters<Jobs['extend']>[0]): Promise<Deployment> {
    const { record } = await numbered(journal, number);
    const entry = await journal.change(record.uid, (latest) => {
      if (latest.state !== 'serving' && isEnded(latest.state)) throw notServing(latest);
      if (latest.owner && !isSame(latest.owner, by)) throw notOwner(latest);
      return { record: { ...latest, until } };
    });
    return entry.record;
  }

  return { decide: say, stopNow, extend };
}

function open({ number, approval }: Deployment, id: number | undefined): Approval {
  if (!approval) {
    throw new OperatorError('conflict', `Nobody asked for approval of #${number}. Nothing was changed.`, {
      hint: 'status shows what waits for one.',
    });
  }
  if (id === undefined || id === approval.id) return approval;
  throw new OperatorError('conflict', `That request of #${number} is over; there is a newer one.`, {
    hint: 'Decide on the newer message.',
  });
}

/** A run that waits has changed nothing, so a "no" is its end, in the same step. A cancel's request belongs to a run that goes on. */
export function afterDecision(record: Deployment, approval: Approval, at: Date): RecordChange | undefined {
  const { decision } = approval;
  const changed = approvalChanged(record, approval);
  if (!changed || !decision) return changed;
  if (approval.action === 'cancel') {
    if (decision.kind !== 'approved' || record.cancelAsked) return changed;
    return { ...changed, record: { ...changed.record, cancelAsked: { by: approval.by, at: decision.at } } };
  }
  const end = endOf(decision);
  if (end === undefined || record.state !== 'waiting-approval') return changed;
  const why = 'why' in decision ? { cause: { text: decision.why, lines: [] } } : {};
  return ended({ ...changed.record, ...why }, unchangedEnd(record, end), at);
}

function endOf({ kind }: Decision): EndState | undefined {
  switch (kind) {
    case 'approved':
      return undefined;
    case 'denied':
      return 'denied';
    case 'withdrawn':
      return 'cancelled';
    case 'expired':
      return 'expired';
    case 'void':
      return 'void';
  }
}

function nothingDrains({ number }: Deployment): OperatorError {
  return new OperatorError('conflict', `#${number} waits for no requests.`, { hint: 'status shows what runs.' });
}

function notServing({ number, state }: Deployment): OperatorError {
  return new OperatorError('conflict', `#${number} is ${state}, so there is nothing to keep longer.`, {
    hint: 'status shows what serves.',
  });
}

function notOwner({ number, recipe }: Deployment): OperatorError {
  return new OperatorError('forbidden', `Only its owner may say how long ${recipe} (#${number}) is needed.`, {
    hint: 'Ask them; status shows whose it is.',
  });
}
