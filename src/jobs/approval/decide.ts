import { OperatorError } from '../../errors.ts';
import { isSame, type Person } from '../deployment.ts';
import type { Approval, Decision, Say } from './approval.ts';

/**
 * What a person's word makes of a request: the first decision stands. `passed`: the point of no return is behind. Pure;
 * the journal writes it only if nobody wrote meanwhile. Throws 'conflict' when it is decided or over, 'forbidden' when this person can't say that.
 */
export function decide(
  approval: Approval,
  say: Say,
  by: Person,
  { now, passed }: { now: Date; passed: boolean },
): Approval {
  const { decision } = approval;
  const at = now.toISOString();
  // Its owner may still speak up as long as nothing was touched.
  const mayObject = say.kind === 'object' && decision?.kind === 'approved' && !decision.glass && !passed;
  if (decision && !mayObject) throw decided(decision);
  if (!decision && at >= approval.until) throw over();
  switch (say.kind) {
    case 'approve':
      return approve(approval, { by, at, when: say.when });
    case 'break-glass':
      return breakGlass(approval, say.reason, by, now);
    case 'deny':
      return { ...approval, decision: { kind: 'denied', at, by, ...why(say) } };
    case 'object':
      if (!approval.facts.interrupts.some(({ owner }) => owner && isSame(owner, by))) throw notOwner();
      return { ...approval, decision: { kind: 'void', at, by, why: objection(say.why) } };
    case 'withdraw':
      if (!isSame(approval.by, by)) throw notAsker();
      return { ...approval, decision: { kind: 'withdrawn', at, by } };
  }
}

/** Its time is over without a decision: nothing is done, or it goes ahead, as its terms say. */
export function expire(approval: Approval, now: Date): Approval {
  const at = now.toISOString();
  if (approval.decision || at < approval.until) return approval;
  const decision: Decision =
    approval.terms.onExpiry === 'proceed' ? { kind: 'approved', at, by: [], when: 'now' } : { kind: 'expired', at };
  return { ...approval, decision };
}

function approve(approval: Approval, vote: Approval['votes'][number]): Approval {
  const { terms, votes } = approval;
  if (!terms.self && isSame(approval.by, vote.by)) throw ownRequest();
  if (votes.some(({ by }) => isSame(by, vote.by))) throw saidBefore(approval);
  const all = [...votes, vote];
  if (all.length < terms.required) return { ...approval, votes: all };
  // Who wants to wait until it is idle is not overruled by who does not mind.
  const when = all.some((each) => each.when === 'idle') ? 'idle' : 'now';
  return {
    ...approval,
    votes: all,
    decision: { kind: 'approved', at: vote.at, by: all.map(({ by }) => by), when },
  };
}

function breakGlass(approval: Approval, reason: string, by: Person, now: Date): Approval {
  const { breakGlass: glass } = approval.terms;
  if (!glass) {
    throw new OperatorError('forbidden', 'Nobody may decide this alone here.', {
      hint: 'approvals.break_glass in sparkops.yaml says who may, and when.',
    });
  }
  const opens = Date.parse(approval.at) + glass.afterMs;
  if (now.getTime() < opens) {
    throw new OperatorError('conflict', 'Those who decide still have time to do so.', {
      hint: `It may be decided alone in ${Math.ceil((opens - now.getTime()) / 60_000)} min.`,
    });
  }
  return {
    ...approval,
    decision: { kind: 'approved', at: now.toISOString(), by: [by], when: 'now', glass: { reason } },
  };
}

function objection(text: string | undefined): string {
  return text === undefined ? 'its owner objects' : `its owner objects: ${text}`;
}

function why(say: { why?: string }): { why?: string } {
  return say.why === undefined ? {} : { why: say.why };
}

function decided(decision: Decision): OperatorError {
  return new OperatorError('conflict', `It is decided already: ${decision.kind}. Nothing was changed.`, {
    hint: 'The first decision stands; ask again for a new one.',
  });
}

function over(): OperatorError {
  return new OperatorError('conflict', 'The time for a decision is over. Nothing was changed.', {
    hint: 'Ask again for a new one.',
  });
}

function notOwner(): OperatorError {
  return new OperatorError('forbidden', 'Only the owner of what would be stopped may object.', {
    hint: 'Who decides may deny it instead.',
  });
}

function notAsker(): OperatorError {
  return new OperatorError('forbidden', 'Only who asked for it may withdraw it.', {
    hint: 'Who decides may deny it instead.',
  });
}

function ownRequest(): OperatorError {
  return new OperatorError('forbidden', 'You asked for it, so somebody else must approve it.', {
    hint: 'approvals.self in sparkops.yaml would allow it.',
  });
}

function saidBefore({ votes, terms }: Approval): OperatorError {
  return new OperatorError('conflict', `You have approved it already; ${votes.length} of ${terms.required} have.`, {
    hint: 'Somebody else must approve it too.',
  });
}
