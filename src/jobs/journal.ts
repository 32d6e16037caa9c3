import { decideWrite } from './decisions/decide-lease.ts';
import type { Deployment, State } from './deployment.ts';
import { isEnded, isForeign } from './deployment.ts';
import type { DeploymentEvent, EventBody } from './events.ts';
import { OperatorError } from '../errors.ts';
import { APPEND, inStore, script, type Store } from './store.ts';

/** A record as it stands in the store. */
export interface Entry {
  record: Deployment;
  /** Grows with each change. */
  rev: number;
  /** Seq of its last event. */
  seq: number;
  /** Id of the queue's job for the current run. */
  job: string;
  /** What surfaces keep with it, by surface, as text. */
  views: Readonly<Record<string, string>>;
}

interface ChangeOptions {
  /** Only the holder of this lease may write. 'conflict' with hint when it lapsed, 'stale-fence' when another holds it. */
  token?: string;
  /** Keys that the change depends on: written only if none of them changed meanwhile. */
  reading?: readonly string[];
}

/** What a change makes of a record; undefined: it is fine as it stands, nothing is written. */
export type Mutation = (
  record: Deployment,
  /** Of the keys that were asked for with `reading`; null: absent. */
  values: readonly (string | null)[],
) => { record: Deployment; event?: EventBody } | undefined;

export interface Journal {
  find: (uid: string) => Promise<Entry | undefined>;
  findByNumber: (number: number) => Promise<Entry | undefined>;
  /** Writes the record and appends its event in one step; tries again when someone else wrote in between. */
  change: (uid: string, mutate: Mutation, options?: ChangeOptions) => Promise<Entry>;
  events: (uid: string, after: number) => Promise<readonly DeploymentEvent[]>;
  /** uids of the records that are not ended. */
  live: () => Promise<readonly string[]>;
  /** Forgets records that ended more than 30 days ago, or before the last 200. */
  prune: () => Promise<void>;
}

export function createJournal(store: Store, now: () => Date): Journal {
  const { redis, keys } = store;

  async function find(uid: string): Promise<Entry | undefined> {
    const { json, rev, seq, job, ...rest } = await inStore(() => redis.hgetall(keys.record(uid)));
    if (!json) return undefined;
    const record: Deployment = JSON.parse(json);
    const views = Object.entries(rest)
      .filter(([field]) => field.startsWith('view:'))
      .map(([field, text]) => [field.slice('view:'.length), text]);
    return { record, rev: Number(rev), seq: Number(seq), job: job ?? '', views: Object.fromEntries(views) };
  }

  async function findByNumber(number: number): Promise<Entry | undefined> {
    const uid = await inStore(() => redis.hget(keys.numbers, String(number)));
    return uid ? find(uid) : undefined;
  }

  async function change(
    uid: string,
    mutate: Mutation,
    { token = '', reading = [] }: ChangeOptions = {},
  ): Promise<Entry> {
    for (;;) {
      const entry = await find(uid);
      if (!entry) throw forgotten(uid);
      if (isForeign(entry.record)) throw foreign(entry.record);
      const seenKeys = [...(token === '' ? [] : [keys.lease(entry.record.cluster)]), ...reading];
      const seen = seenKeys.length === 0 ? [] : await inStore(() => redis.mget(seenKeys));
      const next = mutate(entry.record, token === '' ? seen : seen.slice(1));
      if (!next) return entry;
      const { record, event } = next;
      const may = token === '' ? 'write' : decideWrite({ lease: seen[0] ?? null }, token);
      if (may === 'lapsed') throw lapsed(record);
      if (may === 'stale') throw stale(record);
      const [outcome, seq] = await writeChange(
        store,
        [
          keys.record(uid),
          keys.events(uid),
          keys.claim(record.cluster),
          keys.serving(record.cluster),
          keys.live,
          keys.ended,
          keys.unpresented(''),
          ...seenKeys,
        ],
        [
          uid,
          entry.rev,
          JSON.stringify(record),
          event ? eventText(event, now()) : '',
          standing(record.state),
          now().getTime(),
          keys.changes,
          ...seen.map((value) => value ?? ''),
        ],
      );
      if (outcome === 'ok') return { ...entry, record, rev: entry.rev + 1, seq: Number(seq) };
    }
  }

  async function events(uid: string, after: number): Promise<readonly DeploymentEvent[]> {
    const entries = await inStore(() => redis.xrange(keys.events(uid), `${after + 1}-0`, '+'));
    return entries.map(([id, fields]) => {
      const body: EventBody & { at: string } = JSON.parse(fields[1] ?? '{}');
      return { ...body, seq: Number.parseInt(id, 10) };
    });
  }

  async function prune(): Promise<void> {
    const tooOld = now().getTime() - KEEP_MS;
    const old = await inStore(() => redis.zrangebyscore(keys.ended, '-inf', tooOld));
    const beyond = await inStore(() => redis.zrange(keys.ended, 0, String(-(KEEP_COUNT + 1))));
    for (const uid of new Set([...old, ...beyond])) {
      const entry = await find(uid);
      await inStore(() => redis.del(keys.record(uid), keys.events(uid)));
      if (entry) await inStore(() => redis.hdel(keys.numbers, String(entry.record.number)));
      for (const surface of Object.keys(entry?.views ?? {})) {
        await inStore(() => redis.srem(keys.unpresented(surface), uid));
      }
      await inStore(() => redis.zrem(keys.ended, uid));
    }
  }

  return { find, findByNumber, change, events, live: () => inStore(() => redis.smembers(keys.live)), prune };
}

/** Rejects 'unknown-name' when there is none. `hint`: where numbers are found. */
export async function numbered(
  journal: Pick<Journal, 'findByNumber'>,
  number: number,
  hint = 'status shows what runs.',
): Promise<Entry> {
  const entry = await journal.findByNumber(number);
  if (entry) return entry;
  throw new OperatorError('unknown-name', `There is no deployment #${number}.`, { hint });
}

/** The event as it stands in the stream; its seq is the entry's id. */
export function eventText(event: EventBody, at: Date): string {
  return JSON.stringify({ ...event, at: at.toISOString() });
}

const KEEP_MS = 30 * 24 * 3_600_000;
const KEEP_COUNT = 200;

function standing(state: State): 'live' | 'serving' | 'ended' {
  if (!isEnded(state)) return 'live';
  return state === 'serving' ? 'serving' : 'ended';
}

// The record's text is written as it came: cjson would turn an empty array into an empty object.
const writeChange = script(`${APPEND}
local record, events, claim, serving, live, ended, unpresented = unpack(KEYS)
local uid, rev, json, event, standing, at, changes = unpack(ARGV)
if redis.call('HGET', record, 'rev') ~= rev then return {'conflict'} end
for i = 8, #KEYS do
  if (redis.call('GET', KEYS[i]) or '') ~= ARGV[i] then return {'conflict'} end
end
redis.call('HSET', record, 'json', json)
redis.call('HINCRBY', record, 'rev', 1)
append(record, events, event)
if event ~= '' then
  for _, field in ipairs(redis.call('HKEYS', record)) do
    local surface = string.match(field, '^view:(.+)$')
    if surface then redis.call('SADD', unpresented .. surface, uid) end
  end
end
if standing == 'live' then
  redis.call('SADD', live, uid)
  redis.call('ZREM', ended, uid)
else
  redis.call('SREM', live, uid)
  if redis.call('GET', claim) == uid then redis.call('DEL', claim) end
  if standing == 'serving' then
    redis.call('ZADD', serving, 'NX', at, uid)
  else
    redis.call('ZREM', serving, uid)
    redis.call('ZADD', ended, at, uid)
  end
end
redis.call('PUBLISH', changes, uid)
return {'ok', redis.call('HGET', record, 'seq')}
`);

function forgotten(uid: string): OperatorError {
  return new OperatorError('unknown-name', `The store has no record of deployment ${uid}`, {
    hint: 'It is read from the nodes again within seconds; see status.',
  });
}

export function foreign({ number }: Deployment): OperatorError {
  return new OperatorError('conflict', `#${number} was written by a newer sparkops, so this one does not touch it.`, {
    hint: 'Upgrade this process, or ask the newer one.',
  });
}

function lapsed({ number }: Deployment): OperatorError {
  return new OperatorError('conflict', `The lease of #${number} ran out before the write`, {
    hint: 'It is written once the lease is renewed.',
  });
}

function stale({ number }: Deployment): OperatorError {
  return new OperatorError('stale-fence', `Another process runs #${number} now`, {
    hint: 'Nothing to do: it goes on there.',
  });
}
