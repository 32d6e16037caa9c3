import type { Asker, View } from './jobs.ts';
import type { Action, Deployment, Forced, Person, Plan } from './deployment.ts';
import type { Foreign } from '../cluster/probes/foreign.ts';
import { decideClaim, decideStopClaim, type Held } from './decisions/decide-claim.ts';
import { readHolds } from './held.ts';
import { eventText } from './journal.ts';
import { newRecord, person, stopRecord, type StopRequest } from './new-record.ts';
import { APPEND, inStore, script, UNCHANGED, type Store } from './store.ts';

/** All that an admission needs. */
export interface Admission {
  plan: Plan;
  /** Of an attempt; a stop is admitted by `admitStop`. */
  action: Exclude<Action, 'stop' | 'cancel'>;
  revision: string;
  sparkopsVersion: string;
  by: Asker;
  /** Left out: who asked. */
  owner?: Person;
  forced?: Forced;
  /** What a run 'stop-foreign' is to stop. */
  foreign?: readonly Foreign[];
  until?: string;
  note?: string;
  surface: string;
  view: View;
}

export type Admitted =
  | { outcome: 'admitted'; record: Deployment; job: string }
  /** The cluster belongs to `uid`. */
  | { outcome: 'busy'; uid: string }
  /** A person holds the cluster, or has frozen all of them. */
  | Held
  /** Nobody has read the nodes yet: no number can be given. */
  | { outcome: 'no-counter' }
  /** The store answered too late: nothing was written. */
  | { outcome: 'late' };

/** An answer of the store that comes later than this is refused by the script itself: the person was told that nothing happened. */
const ANSWER_MS = 2_000;

/** Numbers the deployment, writes its record, first event and view and sets the claim in one step, or says who has the cluster. */
export async function admit(store: Store, admission: Admission, now: () => Date): Promise<Admitted> {
  const { keys } = store;
  const { uid, cluster } = admission.plan;
  const deadline = (await storeTime(store)) + ANSWER_MS;
  const seenKeys = [keys.claim(cluster), keys.hold(cluster), keys.freeze, keys.counter];
  for (;;) {
    const seen = await inStore(() => store.redis.mget(seenKeys));
    const [claim = null, hold = null, freeze = null, counter = null] = seen;
    const decision = decideClaim({ claim, holds: readHolds([hold, freeze]), counter }, admission);
    if (decision.outcome !== 'admit') return decision;
    const record = newRecord(admission, decision.number, now());
    const [outcome] = await writeAdmission(
      store,
      [...seenKeys, keys.record(uid), keys.events(uid), keys.numbers, keys.live, keys.unpresented(admission.surface)],
      [
        ...seen.map((value) => value ?? ''),
        uid,
        JSON.stringify(record),
        eventText({ kind: 'admitted', by: record.by }, now()),
        forcedText(admission, now()),
        `view:${admission.surface}`,
        JSON.stringify(admission.view),
        jobId(uid, 1),
        keys.changes,
        deadline,
      ],
    );
    if (outcome === 'ok') return { outcome: 'admitted', record, job: jobId(uid, 1) };
    if (outcome === 'late') return { outcome: 'late' };
    // Otherwise someone else took the cluster or the number, and the record's text holds it.
  }
}

/** A run on a deployment that serves: the claim is set to it. */
export async function admitStop(
  store: Store,
  {
    record,
    rev,
    by,
    surface,
    view,
    ...request
  }: { record: Deployment; rev: number; by: Asker; surface: string; view: View } & StopRequest,
  now: () => Date,
): Promise<Exclude<Admitted, { outcome: 'no-counter' }> | { outcome: 'changed' }> {
  const { keys } = store;
  const { uid, cluster } = record;
  const next = stopRecord(record, request, by);
  const deadline = (await storeTime(store)) + ANSWER_MS;
  const seenKeys = [keys.claim(cluster), keys.hold(cluster), keys.freeze];
  for (;;) {
    const [seen, seenRev] = await inStore(() =>
      Promise.all([store.redis.mget(seenKeys), store.redis.hget(keys.record(uid), 'rev')]),
    );
    const [claim = null, hold = null, freeze = null] = seen;
    const decision = decideStopClaim(
      { claim, holds: readHolds([hold, freeze]), rev: seenRev },
      { ...request, by, rev },
    );
    if (decision.outcome !== 'admit') return decision;
    const [outcome, job = ''] = await writeStop(
      store,
      [...seenKeys, keys.record(uid), keys.events(uid), keys.live, keys.unpresented(surface)],
      [
        ...seen.map((value) => value ?? ''),
        uid,
        rev,
        JSON.stringify(next),
        eventText({ kind: 'admitted', by: person(by) }, now()),
        forcedText(request, now()),
        `view:${surface}`,
        JSON.stringify(view),
        keys.changes,
        deadline,
      ],
    );
    if (outcome === 'ok') return { outcome: 'admitted', record: next, job };
    if (outcome === 'late') return { outcome: 'late' };
  }
}

/** The event of what is forced, '' where nothing is. */
function forcedText({ action, forced }: { action: Action; forced?: Forced }, at: Date): string {
  return forced ? eventText({ kind: 'forced', action, forced }, at) : '';
}

/** A queue's own id: without ':' and not all digits, or BullMQ refuses it. A new run is a new job. */
function jobId(uid: string, run: number): string {
  return `d-${uid}-${run}`;
}

async function storeTime({ redis }: Store): Promise<number> {
  const [seconds, micros] = await inStore(() => redis.time());
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

const LATE = `
local function late(deadline)
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(deadline)
end
`;

const writeAdmission = script(`${LATE}${UNCHANGED}${APPEND}
local claim, _, _, counter, record, events, numbers, live, unpresented = unpack(KEYS)
local uid, json, event, forced, surface, view, job, changes, deadline = unpack(ARGV, 5)
if late(deadline) then return {'late'} end
if not unchanged(4) then return {'changed'} end
local number = redis.call('INCR', counter)
redis.call('HSET', record, 'json', json, 'rev', 1, 'runs', 1, 'job', job, surface, view)
append(record, events, event)
append(record, events, forced)
redis.call('HSET', numbers, number, uid)
redis.call('SET', claim, uid)
redis.call('SADD', live, uid)
redis.call('SADD', unpresented, uid)
redis.call('PUBLISH', changes, uid)
return {'ok'}
`);

// The view of the deploy stays: its surface still edits that card. A record rebuilt from the nodes has none yet.
const writeStop = script(`${LATE}${UNCHANGED}${APPEND}
local claim, _, _, record, events, live, unpresented = unpack(KEYS)
local uid, rev, json, event, forced, surface, view, changes, deadline = unpack(ARGV, 4)
if late(deadline) then return {'late'} end
if not unchanged(3) or redis.call('HGET', record, 'rev') ~= rev then return {'changed'} end
local job = 'd-' .. uid .. '-' .. redis.call('HINCRBY', record, 'runs', 1)
redis.call('HSET', record, 'json', json, 'job', job)
redis.call('HINCRBY', record, 'rev', 1)
redis.call('HSETNX', record, surface, view)
append(record, events, event)
append(record, events, forced)
redis.call('SET', claim, uid)
redis.call('SADD', live, uid)
redis.call('SADD', unpresented, uid)
redis.call('PUBLISH', changes, uid)
return {'ok', job}
`);
