import type { Asker, View } from './jobs.ts';
import type { Deployment, Plan } from './deployment.ts';
import { eventText } from './journal.ts';
import { inStore, script, type Store } from './store.ts';

/** All that an admission needs. */
export interface Admission {
  plan: Plan;
  revision: string;
  sparkopsVersion: string;
  by: Asker;
  until?: string;
  note?: string;
  surface: string;
  view: View;
}

export type Admitted =
  | { outcome: 'admitted'; record: Deployment; job: string }
  /** The cluster belongs to `uid`, or serves it. */
  | { outcome: 'busy'; uid: string }
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
  for (;;) {
    const counter = await inStore(() => store.redis.get(keys.counter));
    const record = newRecord(admission, Number(counter ?? 0) + 1, now());
    const [outcome, detail] = await writeAdmission(
      store,
      [
        keys.counter,
        keys.claim(cluster),
        keys.serving(cluster),
        keys.record(uid),
        keys.events(uid),
        keys.numbers,
        keys.live,
        keys.unpresented(admission.surface),
      ],
      [
        uid,
        counter ?? '',
        JSON.stringify(record),
        eventText({ kind: 'admitted', by: record.by }, now()),
        `view:${admission.surface}`,
        JSON.stringify(admission.view),
        jobId(uid, 1),
        keys.changes,
        deadline,
      ],
    );
    if (outcome === 'ok') return { outcome: 'admitted', record, job: jobId(uid, 1) };
    if (outcome === 'busy') return { outcome: 'busy', uid: detail ?? '' };
    if (outcome === 'no-counter' || outcome === 'late') return { outcome };
    // Otherwise someone else took the number, and the record's text holds it.
  }
}

/** A run on a deployment that serves: the claim is set to it. */
export async function admitStop(
  store: Store,
  { record, rev, by, surface, view }: { record: Deployment; rev: number; by: Asker; surface: string; view: View },
  now: () => Date,
): Promise<Exclude<Admitted, { outcome: 'no-counter' }> | { outcome: 'changed' }> {
  const { keys } = store;
  const { uid, cluster } = record;
  const next = stopRecord(record);
  const [outcome, detail] = await writeStop(
    store,
    [keys.claim(cluster), keys.record(uid), keys.events(uid), keys.live, keys.unpresented(surface)],
    [
      uid,
      rev,
      JSON.stringify(next),
      eventText({ kind: 'admitted', by: person(by) }, now()),
      `view:${surface}`,
      JSON.stringify(view),
      keys.changes,
      (await storeTime(store)) + ANSWER_MS,
    ],
  );
  if (outcome === 'ok') return { outcome: 'admitted', record: next, job: detail ?? '' };
  if (outcome === 'busy') return { outcome: 'busy', uid: detail ?? '' };
  if (outcome === 'late') return { outcome: 'late' };
  return { outcome: 'changed' };
}

/** A queue's own id: without ':' and not all digits, or BullMQ refuses it. A new run is a new job. */
function jobId(uid: string, run: number): string {
  return `d-${uid}-${run}`;
}

function newRecord(admission: Admission, number: number, at: Date): Deployment {
  const { plan } = admission;
  return {
    // These two stand first in the nodes' files as well, where a shell script reads the number.
    schema: 1,
    number,
    uid: plan.uid,
    cluster: plan.cluster,
    recipe: plan.recipe,
    run: 'deploy',
    by: person(admission.by),
    owner: person(admission.by),
    ...(admission.until !== undefined && { until: admission.until }),
    ...(admission.note !== undefined && { note: admission.note }),
    state: 'queued',
    phases: plan.phases.map((name) => ({ name, state: 'waiting', attempts: 0 })),
    plan,
    revision: admission.revision,
    sparkopsVersion: admission.sparkopsVersion,
    stalls: 0,
    createdAt: at.toISOString(),
  };
}

/** What an earlier run left is history: it stands in the events. */
const LEFT_BEHIND = ['phase', 'cause', 'remedy', 'progress', 'aborting', 'cancelAsked', 'endedAt'] as const;

function stopRecord(record: Deployment): Deployment {
  const next: Deployment = {
    ...record,
    run: 'stop',
    state: 'queued',
    stalls: 0,
    stallsSeen: 0,
    phases: [{ name: 'stop', state: 'waiting', attempts: 0 }],
  };
  for (const key of LEFT_BEHIND) delete next[key];
  return next;
}

function person({ team, user }: Asker): { team: string; user: string } {
  return { team, user };
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

const writeAdmission = script(`${LATE}
local counter, claim, serving, record, events, numbers, live, unpresented = unpack(KEYS)
local uid, expected, json, event, surface, view, job, changes, deadline = unpack(ARGV)
if late(deadline) then return {'late'} end
local holder = redis.call('GET', claim) or redis.call('ZRANGE', serving, 0, 0)[1]
if holder then return {'busy', holder} end
local current = redis.call('GET', counter)
if not current then return {'no-counter'} end
if current ~= expected then return {'moved'} end
local number = redis.call('INCR', counter)
redis.call('HSET', record, 'json', json, 'rev', 1, 'seq', 1, 'runs', 1, 'job', job, surface, view)
redis.call('XADD', events, '1-0', 'event', event)
redis.call('HSET', numbers, number, uid)
redis.call('SET', claim, uid)
redis.call('SADD', live, uid)
redis.call('SADD', unpresented, uid)
redis.call('PUBLISH', changes, uid)
return {'ok'}
`);

// The view of the deploy stays: its surface still edits that card. A record rebuilt from the nodes has none yet.
const writeStop = script(`${LATE}
local claim, record, events, live, unpresented = unpack(KEYS)
local uid, rev, json, event, surface, view, changes, deadline = unpack(ARGV)
if late(deadline) then return {'late'} end
local holder = redis.call('GET', claim)
if holder then return {'busy', holder} end
if redis.call('HGET', record, 'rev') ~= rev then return {'changed'} end
local job = 'd-' .. uid .. '-' .. redis.call('HINCRBY', record, 'runs', 1)
redis.call('HSET', record, 'json', json, 'job', job)
redis.call('HINCRBY', record, 'rev', 1)
redis.call('HSETNX', record, surface, view)
redis.call('XADD', events, redis.call('HINCRBY', record, 'seq', 1) .. '-0', 'event', event)
redis.call('SET', claim, uid)
redis.call('SADD', live, uid)
redis.call('SADD', unpresented, uid)
redis.call('PUBLISH', changes, uid)
return {'ok', job}
`);
