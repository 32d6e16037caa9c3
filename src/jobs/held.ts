import { isSame, type Action, type Forced, type Person } from './deployment.ts';
import { readHold, type Hold } from './hold-rules.ts';

/** What stands over one cluster. */
export interface Standing {
  hold?: Hold;
  freeze?: Hold;
}

interface HeldAsk {
  action: Action;
  by: Person;
  forced?: Forced | undefined;
}

/** The values of the two keys, as the store has them: the cluster's hold, then the freeze. */
export function readHolds([hold = null, freeze = null]: readonly (string | null)[]): Standing {
  const [put, frozen] = [readHold(hold), readHold(freeze)];
  return { ...(put && { hold: put }), ...(frozen && { freeze: frozen }) };
}

/**
 * Which hold forbids this; undefined: none does. A restart is healing and passes, its holder passes a hold, nobody a
 * freeze; what is forced passes both. Pure.
 */
export function heldBy({ hold, freeze }: Standing, { action, by, forced }: HeldAsk): Hold | undefined {
  if (action === 'restart' || action === 'cancel' || forced?.what.includes('hold')) return undefined;
  if (freeze) return freeze;
  return hold && !isSame(hold.by, by) ? hold : undefined;
}
