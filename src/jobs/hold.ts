import type { Logger } from 'pino';
import type { Cluster } from '../config/cluster-file.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { isEnded } from './deployment.ts';
import { logDropped, PUT_IN_OUTBOX } from './head-outbox/outbox.ts';
import { tellOfHold, tellOfRelease } from './hold-notices.ts';
import { mayEnd, nextHold, readHold, type Hold, type HoldRequest, type ReleaseRequest } from './hold-rules.ts';
import type { Jobs } from './jobs.ts';
import type { Journal } from './journal.ts';
import type { Notices } from './notices.ts';
import { busy, storeAway } from './refusal.ts';
import { inStore, script, type Store } from './store.ts';

/** A hold or a freeze that was put up, changed or ended. */
export interface Held {
  /** Left out: all of them. */
  cluster?: string;
  hold: Hold;
}

export interface Holds {
  freeze?: Hold;
  /** By cluster. */
  held: ReadonlyMap<string, Hold>;
  /** "18:00": when a hold ends without an end of its own. */
  endsAt: string;
}

export interface HoldParts {
  store: Store;
  journal: Journal;
  notices: Notices;
  config: () => Promise<Config>;
  now: () => Date;
  log: Logger;
}

/** An answer of the store that comes later than this is refused by the script itself: the person was told that nothing happened. */
const ANSWER_MS = 2_000;

/** Holds and freezes: put up, changed and ended in one step with what the clusters' heads are to keep of it. */
export function openHolds(parts: HoldParts): Pick<Jobs, 'hold' | 'unlock' | 'freeze' | 'unfreeze' | 'holds'> {
  const { store, journal, config, now, log } = parts;
  const { keys } = store;

  async function clusterOf({ cluster, channel }: Pick<HoldRequest, 'cluster' | 'channel'>): Promise<Cluster> {
    return resolveCluster(await config(), { name: cluster, channel });
  }

  /** `cluster` left out: a freeze. */
  async function put(request: HoldRequest, cluster: Cluster | undefined): Promise<Held> {
    const place = cluster === undefined ? keys.freeze : keys.hold(cluster.name);
    const heads = cluster === undefined ? [...(await config()).clusters.keys()] : [cluster.name];
    for (;;) {
      const had = await inStore(() => store.redis.get(place));
      const next = nextHold(readHold(had), request, cluster?.name, now());
      const kind = cluster === undefined ? 'freeze' : 'hold';
      const [outcome] = await write({ place, had, next, heads, kind, claim: '' });
      if (outcome === 'late') throw storeAway();
      if (outcome !== 'ok') continue;
      const held = { ...(cluster && { cluster: cluster.name }), hold: next };
      await tellOfHold(parts, held, request, cluster);
      return held;
    }
  }

  async function release(request: ReleaseRequest, cluster: Cluster | undefined): Promise<Held> {
    const place = cluster === undefined ? keys.freeze : keys.hold(cluster.name);
    const heads = cluster === undefined ? [...(await config()).clusters.keys()] : [cluster.name];
    let claim = '';
    for (;;) {
      const had = await inStore(() => store.redis.get(place));
      const hold = mayEnd(readHold(had), request, cluster?.name);
      const kind = cluster === undefined ? 'unfreeze' : 'unhold';
      const [outcome, uid = ''] = await write({ place, had, heads, kind, claim, cluster: cluster?.name });
      if (outcome === 'late') throw storeAway();
      if (outcome === 'busy') {
        const record = (await journal.find(uid))?.record;
        if (record && !isEnded(record.state)) throw busy('Not unlocked', record.cluster, record);
        // Its end has just been written, or is forgotten: the claim stands for nothing any more.
        claim = uid;
      }
      if (outcome !== 'ok') continue;
      const held = { ...(cluster && { cluster: cluster.name }), hold };
      await tellOfRelease(parts, held, request, cluster);
      return held;
    }
  }

  async function write(change: {
    place: string;
    had: string | null;
    next?: Hold;
    heads: readonly string[];
    kind: 'hold' | 'unhold' | 'freeze' | 'unfreeze';
    /** A claim that may stand. */
    claim: string;
    /** Left out: what is claimed does not matter. */
    cluster?: string | undefined;
  }): Promise<string[]> {
    const { place, had, next, heads, kind, claim, cluster } = change;
    const text = next === undefined ? '' : JSON.stringify(next);
    const answer = await writeHold(
      store,
      [place, keys.outboxId, ...heads.map(keys.outbox), ...(cluster === undefined ? [] : [keys.claim(cluster)])],
      [
        had ?? '',
        text,
        next === undefined ? 0 : Date.parse(next.until),
        kind,
        claim,
        heads.length,
        keys.outboxFilled,
        (await storeTime(store)) + ANSWER_MS,
        ...heads,
      ],
    );
    if (answer[0] === 'ok') logDropped(log, heads.join(', '), answer[1]);
    return answer;
  }

  return {
    hold: async (request) => put(request, await clusterOf(request)),
    unlock: async (request) => release(request, await clusterOf(request)),
    freeze: (request) => put(request, undefined),
    unfreeze: (request) => release(request, undefined),
    holds: async () => {
      const { clusters, sparkops } = await config();
      const names = [...clusters.keys()];
      const [frozen = null, ...texts] = await inStore(() => store.redis.mget(keys.freeze, ...names.map(keys.hold)));
      const freeze = readHold(frozen);
      const held = names.flatMap((name, at) => {
        const hold = readHold(texts[at] ?? null);
        return hold ? [[name, hold] as const] : [];
      });
      return { ...(freeze && { freeze }), held: new Map(held), endsAt: sparkops.hold_until };
    },
  };
}

/** Puts back what a head has kept, when the store knows of none. True: it was put back. */
export async function restoreHold(store: Store, cluster: string | undefined, hold: Hold): Promise<boolean> {
  const place = cluster === undefined ? store.keys.freeze : store.keys.hold(cluster);
  const untilMs = Date.parse(hold.until);
  return (await inStore(() => store.redis.set(place, JSON.stringify(hold), 'PXAT', untilMs, 'NX'))) === 'OK';
}

async function storeTime({ redis }: Store): Promise<number> {
  const [seconds, micros] = await inStore(() => redis.time());
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

const writeHold = script(`${PUT_IN_OUTBOX}
local place, outboxId = KEYS[1], KEYS[2]
local had, text, ends, kind, allowed, count, channel, deadline = unpack(ARGV)
local heads = tonumber(count)
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(deadline) then return {'late'} end
if (redis.call('GET', place) or '') ~= had then return {'changed'} end
local claim = KEYS[3 + heads]
local claimed = claim and redis.call('GET', claim)
if claimed and claimed ~= allowed then return {'busy', claimed} end
if text == '' then redis.call('DEL', place) else redis.call('SET', place, text, 'PXAT', ends) end
local dropped = 0
for i = 1, heads do
  dropped = dropped + put(KEYS[2 + i], outboxId, kind, text)
  redis.call('PUBLISH', channel, ARGV[8 + i])
end
return {'ok', dropped}
`);
