/** What stands in the store about who acts for a cluster. Null: nothing. */
export interface LeaseSeen {
  /** uid of the deployment that has the cluster. */
  claim: string | null;
  /** Token of the process that acts for it, until that has not renewed for a life of it. */
  lease: string | null;
  /** The highest fence that the store has given. Never removed. */
  fence: string | null;
}

/** Only the claimed deployment is leased, also from another process of it; each taking has a fence of its own. */
export function decideTaking(
  { claim, fence }: LeaseSeen,
  { uid }: { uid: string },
): { outcome: 'taken'; fence: number } | { outcome: 'not-claimed' } {
  return claim === uid ? { outcome: 'taken', fence: Number(fence ?? 0) + 1 } : { outcome: 'not-claimed' };
}

export type Renewal =
  | 'kept'
  /** It had lapsed, and nobody took it. */
  | 'again'
  | 'lost'
  /** A fence is never removed, so the store has lost its memory. */
  | 'forgotten';

/** A lapsed lease is its old holder's again only when the fence shows that nobody else had it meanwhile. */
export function decideRenewal(
  { claim, lease, fence }: LeaseSeen,
  ours: { uid: string; token: string; fence: number },
): Renewal {
  if (claim === null && lease === null && fence === null) return 'forgotten';
  if (claim !== ours.uid) return 'lost';
  if (lease === ours.token) return 'kept';
  return lease === null && fence === String(ours.fence) ? 'again' : 'lost';
}

/** A node has seen `min`, or the store has: ours must be above both. */
export function decideHigher(
  { lease, fence }: LeaseSeen,
  { token, min }: { token: string; min: number },
): { outcome: 'higher'; fence: number } | { outcome: 'lost' } {
  if (lease !== token) return { outcome: 'lost' };
  return { outcome: 'higher', fence: Math.max(Number(fence ?? 0), min) + 1 };
}

/** Only one's own lease is given back. */
export function decideRelease({ lease }: LeaseSeen, { token }: { token: string }): 'drop' | 'leave' {
  return lease === token ? 'drop' : 'leave';
}

/** Whether a run may write to its record: 'lapsed' may pass, 'stale' won't. */
export function decideWrite({ lease }: Pick<LeaseSeen, 'lease'>, token: string): 'write' | 'lapsed' | 'stale' {
  if (lease === token) return 'write';
  return lease === null ? 'lapsed' : 'stale';
}

export type LeaseState = 'held' | 'unknown' | 'lost';

/** What a process knows of its own lease; `age` since it asked for the last renewal that it got. Milliseconds. */
export function leaseState({ lost, age, ttlMs }: { lost: boolean; age: number; ttlMs: number }): LeaseState {
  if (lost) return 'lost';
  return age < (ttlMs * 2) / 3 ? 'held' : 'unknown';
}

/** Whether a changing command may be started now. */
export function decideChange(state: LeaseState): 'start' | 'wait' | 'stop' {
  switch (state) {
    case 'held':
      return 'start';
    case 'unknown':
      return 'wait';
    case 'lost':
      return 'stop';
  }
}
