import { isEnded, type Deployment } from './deployment.ts';
import type { Entry } from './journal.ts';
import { script, type Store } from './store.ts';

/** Puts back what a run knows after Redis has lost its memory: record, views, claim and fence. Its next renewal takes the lease again. */
export async function restoreRun(store: Store, entry: Entry, fence: number): Promise<boolean> {
  return restore(store, entry, fence);
}

/** A record of a deployment that serves, read from its node. */
export async function restoreServing(store: Store, record: Deployment): Promise<boolean> {
  return restore(store, { record: { ...record, state: 'serving' }, rev: 1, seq: 0, job: '', views: {} }, 0);
}

/**
 * A node has seen a newer deployment than the store may know of: the store was restored from before. Numbers go on above
 * it, and every reconciler reads the nodes again.
 */
export async function learnOfNewer(store: Store, number: number): Promise<void> {
  const { keys } = store;
  await distrust(store, [keys.counter, keys.memory], [number, keys.counterWanted]);
}

/** False when the store knows it already, or the cluster was claimed meanwhile. */
async function restore(store: Store, { record, seq, job, views }: Entry, fence: number): Promise<boolean> {
  const { keys } = store;
  const { uid, cluster, number } = record;
  const live = !isEnded(record.state);
  const surfaces = Object.entries(views).flatMap(([surface, text]) => [surface, text]);
  const [outcome] = await writeBack(
    store,
    [
      keys.record(uid),
      keys.claim(cluster),
      keys.live,
      keys.serving(cluster),
      keys.fence(cluster),
      keys.counter,
      keys.numbers,
      keys.unpresented(''),
    ],
    [uid, number, JSON.stringify(record), seq, job, live ? 'live' : 'serving', fence, keys.changes, ...surfaces],
  );
  return outcome === 'ok';
}

/** For scripts: the counter is at least this; where there is none, a reconciler sets it from the nodes. */
const COUNT_TO = `
local function countTo(counter, number)
  local now = redis.call('GET', counter)
  if now and tonumber(now) < tonumber(number) then redis.call('SET', counter, number) end
end
`;

const distrust = script(`${COUNT_TO}
countTo(KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
redis.call('PUBLISH', ARGV[2], '')
return {'ok'}
`);

// A run knows more than a node: what was read from a node while the run was about to put its record back is replaced.
const writeBack = script(`${COUNT_TO}
local record, claim, live, serving, fence, counter, numbers, unpresented = unpack(KEYS)
local uid, number, json, seq, job, standing, ours, changes = unpack(ARGV)
local fromNode = redis.call('HGET', record, 'from') == 'node'
if redis.call('EXISTS', record) == 1 and not (standing == 'live' and fromNode) then return {'known'} end
if standing == 'live' then
  if redis.call('EXISTS', claim) == 1 then return {'claimed'} end
  redis.call('SET', claim, uid)
  redis.call('SET', fence, ours)
  redis.call('SADD', live, uid)
  redis.call('ZREM', serving, uid)
  redis.call('HSET', record, 'from', 'run')
else
  redis.call('ZADD', serving, 0, uid)
  redis.call('HSET', record, 'from', 'node')
end
redis.call('HSET', record, 'json', json, 'rev', 1, 'seq', seq, 'runs', 1, 'job', job)
for i = 9, #ARGV, 2 do
  redis.call('HSET', record, 'view:' .. ARGV[i], ARGV[i + 1])
  redis.call('SADD', unpresented .. ARGV[i], uid)
end
redis.call('HSET', numbers, number, uid)
countTo(counter, number)
redis.call('PUBLISH', changes, uid)
return {'ok'}
`);
