import { z } from 'zod';
import { OperatorError } from '../errors.ts';
import { isSame } from './deployment.ts';
import type { Asker } from './jobs.ts';
import { ClusterHeld } from './refusal.ts';

const Time = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

const HoldFile = z.object({
  by: z.object({ team: z.string(), user: z.string() }),
  /** Of who put it up, for texts without a lookup. */
  name: z.string(),
  reason: z.string(),
  at: Time,
  /** It ends by itself. */
  until: Time,
  /** Where it was asked for. */
  channel: z.string().exactOptional(),
});
/** What a person has put up over a cluster (a hold) or over all of them (a freeze). Times are ISO 8601 UTC. */
export type Hold = z.infer<typeof HoldFile>;

export interface HoldRequest {
  /** Left out: the one that the channel means. */
  cluster?: string;
  channel?: string;
  by: Asker;
  /** Left out: its holder keeps the reason. */
  reason?: string;
  /** ISO 8601 UTC; left out: `extendMs` more than it has, or as it is, or `byDefault` for a new one. */
  until?: string;
  extendMs?: number;
  byDefault: string;
}

export interface ReleaseRequest {
  cluster?: string;
  channel?: string;
  by: Asker;
  /** Whether `by` may end what somebody else has put up. */
  overrule: boolean;
}

const LONGEST_MS = 90 * 86_400_000;

/** As it stands in the store, or in a head's file, which anybody may have changed. */
export function readHold(text: string | null): Hold | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const { success, data } = HoldFile.safeParse(value);
    return success ? data : undefined;
  } catch {
    return undefined;
  }
}

/** What the request makes of it. Rejects somebody else's with 'busy', and a time that can't be with 'usage'. */
export function nextHold(had: Hold | undefined, request: HoldRequest, cluster: string | undefined, at: Date): Hold {
  const { by, reason = had?.reason, until, extendMs, byDefault } = request;
  const channel = request.channel || had?.channel;
  if (had && !isSame(had.by, by))
    throw new ClusterHeld(cluster === undefined ? 'Not frozen' : 'Not held', cluster, had);
  if (extendMs !== undefined && !had) {
    const none = cluster === undefined ? 'Nothing is frozen any more' : `You do not hold ${cluster} any more`;
    throw new OperatorError('usage', `${none}, so there is no end to move.`, {
      hint: `Put it up again, and say what for: ${cluster === undefined ? 'freeze' : `hold ${cluster}`} "eval run"`,
    });
  }
  if (reason === undefined) {
    throw new OperatorError('usage', 'Say what for: whoever is kept waiting reads it.', {
      hint: `For example: ${cluster === undefined ? 'freeze' : `hold ${cluster}`} until 18:00 "eval run"`,
    });
  }
  const end = until ?? (had ? later(had.until, extendMs ?? 0) : byDefault);
  if (Date.parse(end) > at.getTime() + LONGEST_MS) {
    throw new OperatorError('usage', 'It would end later than in 90 days.', { hint: 'Type until 18:00, or for 2h.' });
  }
  return {
    by: { team: by.team, user: by.user },
    name: by.name,
    reason,
    at: had?.at ?? at.toISOString(),
    until: end,
    ...(channel !== undefined && { channel }),
  };
}

/** The one that is ended. Rejects with 'unknown-name' when there is none, with 'busy' when it is somebody else's. */
export function mayEnd(had: Hold | undefined, { by, overrule }: ReleaseRequest, cluster: string | undefined): Hold {
  if (!had) {
    throw new OperatorError('unknown-name', cluster === undefined ? 'Nothing is frozen.' : `Nobody holds ${cluster}.`, {
      hint: 'status shows what is held.',
    });
  }
  if (overrule || isSame(had.by, by)) return had;
  throw new ClusterHeld('Not unlocked', cluster, had);
}

function later(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString();
}
