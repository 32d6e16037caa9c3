import { mayEnd, nextHold, type Hold } from '../../../src/jobs/hold-rules.ts';
import type { Jobs } from '../../../src/jobs/jobs.ts';

/** Holds in memory, with the rules of the real ones; they do not end by themselves. */
export function fakeHolds(
  now = (): Date => new Date(),
): Pick<Jobs, 'hold' | 'unlock' | 'freeze' | 'unfreeze' | 'holds'> {
  const held = new Map<string, Hold>();
  let freeze: Hold | undefined;
  return {
    hold: async (request) => {
      const { cluster = 'spark' } = request;
      const hold = nextHold(held.get(cluster), request, cluster, now());
      held.set(cluster, hold);
      return { cluster, hold };
    },
    unlock: async (request) => {
      const { cluster = 'spark' } = request;
      const hold = mayEnd(held.get(cluster), request, cluster);
      held.delete(cluster);
      return { cluster, hold };
    },
    freeze: async (request) => ({ hold: (freeze = nextHold(freeze, request, undefined, now())) }),
    unfreeze: async (request) => {
      const hold = mayEnd(freeze, request, undefined);
      freeze = undefined;
      return { hold };
    },
    holds: async () => ({ ...(freeze && { freeze }), held, endsAt: '18:00' }),
  };
}
