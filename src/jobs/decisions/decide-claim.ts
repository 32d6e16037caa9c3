import type { Action, Forced, Person } from '../deployment.ts';
import { heldBy, type Standing } from '../held.ts';
import type { Hold } from '../hold-rules.ts';

/** What stands in the store about a cluster. Null: nothing. */
interface ClaimSeen {
  /** uid of the deployment that has the cluster. */
  claim: string | null;
  holds: Standing;
}

interface ClaimAsk {
  action: Action;
  by: Person;
  forced?: Forced;
}

export type Held = { outcome: 'held'; what: 'hold' | 'freeze'; hold: Hold };
type Busy = { outcome: 'busy'; uid: string };
type ClaimDecision = { outcome: 'admit'; number: number } | Held | Busy | { outcome: 'no-counter' };

/** Whether a new attempt gets the cluster, and its number. What serves there keeps nobody out: an attempt is approved before it touches that. `counter` is the highest number so far; null: nobody has read the nodes. */
export function decideClaim(seen: ClaimSeen & { counter: string | null }, ask: ClaimAsk): ClaimDecision {
  const refused = heldFrom(seen.holds, ask) ?? claimedBy(seen.claim);
  if (refused) return refused;
  if (seen.counter === null) return { outcome: 'no-counter' };
  return { outcome: 'admit', number: Number(seen.counter) + 1 };
}

/** Whether a run on the deployment that serves gets the cluster. `rev` is its record's now, `ask.rev` as it was looked at. */
export function decideStopClaim(
  seen: ClaimSeen & { rev: string | null },
  ask: ClaimAsk & { rev: number },
): { outcome: 'admit' } | Held | Busy | { outcome: 'changed' } {
  const refused = heldFrom(seen.holds, ask) ?? claimedBy(seen.claim);
  if (refused) return refused;
  return seen.rev === String(ask.rev) ? { outcome: 'admit' } : { outcome: 'changed' };
}

function heldFrom(holds: Standing, ask: ClaimAsk): Held | undefined {
  const hold = heldBy(holds, ask);
  return hold && { outcome: 'held', what: hold === holds.freeze ? 'freeze' : 'hold', hold };
}

function claimedBy(uid: string | null): Busy | undefined {
  return uid === null ? undefined : { outcome: 'busy', uid };
}
