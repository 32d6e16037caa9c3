import { isSame, type Action, type Person } from '../deployment.ts';
import type { ApprovalFacts, Interrupted } from './approval.ts';

interface Wish {
  action: Action;
  facts: Pick<ApprovalFacts, 'interrupts' | 'foreign' | 'protected'>;
  now: Date;
}

/** Why nobody has to be asked, in words for the card; undefined: somebody has to. Pure. */
export function needsNoApproval({ action, facts, now }: Wish): string | undefined {
  const { interrupts, foreign } = facts;
  // Help at three in the morning waits for nobody: what is dead or stuck serves no one.
  const broken = interrupts.length > 0 && interrupts.every(isBroken);
  if (action === 'restart' && broken) return `${listed(interrupts)} ${interrupts[0]?.state}: nobody needs to be asked`;
  if (foreign.length > 0 || facts.protected) return undefined;
  const missed = interrupts.filter((each) => !isOver(each, now));
  if (missed.length > 0) return undefined;
  return interrupts.length === 0 ? 'nothing is interrupted' : `${listed(interrupts)} served its time`;
}

/** A cancel stops somebody else's attempt when what served before is gone already. */
export function cancelNeedsApproval({ by, pastReturnAt }: { by: Person; pastReturnAt?: string }, who: Person): boolean {
  return pastReturnAt !== undefined && !isSame(by, who);
}

function isBroken({ state }: Pick<Interrupted, 'state'>): boolean {
  return state === 'down' || state === 'wedged';
}

/** What its owner wanted it for is over. */
function isOver({ until }: Interrupted, now: Date): boolean {
  return until !== undefined && until <= now.toISOString();
}

function listed(interrupts: readonly Interrupted[]): string {
  return interrupts.map(({ recipe, number }) => `${recipe} (#${number})`).join(' and ');
}
