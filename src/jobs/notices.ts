import type { Person } from './deployment.ts';
import type { Hold } from './hold-rules.ts';
import { script, type Store } from './store.ts';

/** What a notice says. `cluster` left out: all clusters. */
type NoticeBody =
  | { kind: 'hold'; cluster?: string; hold: Hold }
  /** `requests`: of the last hour, where samples tell. */
  | { kind: 'hold-ends'; cluster?: string; hold: Hold; requests?: number }
  | { kind: 'hold-ended'; cluster?: string; hold: Hold; by: Person }
  /** Sentences without markup, the first one for a lock screen; each button does what is typed for it. */
  | { kind: 'said'; lines: readonly string[]; buttons?: readonly { label: string; typed: string }[] };

/** What people must be told that belongs to no deployment's thread. */
export interface Notice {
  /** A later one of the same id takes its place. */
  id: string;
  /** ISO 8601 UTC. */
  due: string;
  /** The surface's place; left out: whoever is mentioned is told directly. */
  channel?: string;
  mention: readonly Person[];
  body: NoticeBody;
}

/** One that this process is to tell within `TELL_MS`; afterwards another one may. */
export interface Taken {
  notice: Notice;
  /** Posts whose outcome is not known. */
  tries: number;
  keepTries: (tries: number) => Promise<void>;
  told: () => Promise<void>;
}

export interface Notices {
  /** By a process of any role; posted once by whichever bot comes first. */
  tell: (notice: Notice) => Promise<void>;
  withdraw: (id: string) => Promise<void>;
  /** Those that are due now. */
  take: () => Promise<readonly Taken[]>;
}

/** A process that took a notice and went away keeps it from the others for so long. */
const LEASE_MS = 60_000;
/** Less than the lease by what a call to Slack may take. */
export const TELL_MS = 40_000;
const AT_ONCE = 10;

export function openNotices(store: Store): Notices {
  const { keys } = store;
  const both = [keys.notices, keys.noticeTexts];
  return {
    tell: async (notice) => {
      await put(store, both, [notice.id, Date.parse(notice.due), JSON.stringify(notice), keys.noticeDue]);
    },
    withdraw: async (id) => {
      await drop(store, both, [id, '']);
    },
    take: async () => {
      const flat = await lease(store, both, [LEASE_MS, AT_ONCE]);
      const taken: Taken[] = [];
      for (let at = 0; at + 2 < flat.length; at += 3) {
        const [id = '', text = '', tries = '0'] = flat.slice(at, at + 3);
        taken.push({
          notice: JSON.parse(text),
          tries: Number(tries),
          keepTries: async (count) => {
            await keep(store, [keys.noticeTexts], [id, text, count]);
          },
          told: async () => {
            await drop(store, both, [id, text]);
          },
        });
      }
      return taken;
    },
  };
}

const put = script(`
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('HDEL', KEYS[2], ARGV[1] .. ' tries')
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PUBLISH', ARGV[4], ARGV[1])
return {'ok'}
`);

// By Redis's clock, since those of the processes differ.
const lease = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])) do
  local text = redis.call('HGET', KEYS[2], id)
  if text then
    redis.call('ZADD', KEYS[1], now + ARGV[1], id)
    table.insert(taken, id)
    table.insert(taken, text)
    table.insert(taken, redis.call('HGET', KEYS[2], id .. ' tries') or '0')
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
return taken
`);

// One that was told anew meanwhile is another one.
const keep = script(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1] .. ' tries', ARGV[3]) end
return {'ok'}
`);

const drop = script(`
if ARGV[2] ~= '' and redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return {'another'} end
redis.call('HDEL', KEYS[2], ARGV[1], ARGV[1] .. ' tries')
redis.call('ZREM', KEYS[1], ARGV[1])
return {'ok'}
`);
