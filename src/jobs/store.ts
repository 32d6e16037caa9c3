import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { OperatorError } from '../errors.ts';
import { type Keys, keysOf } from './keys.ts';

/** Where jobs keep what they know: one Redis, all keys below the realm's prefix. */
export interface Store {
  realm: string;
  redis: Redis;
  keys: Keys;
}

/** `redis` has a commandTimeout and no offline queue, so that a call fails within the timeout while Redis is away. */
export function openStore(realm: string, redis: Redis): Store {
  return { realm, redis, keys: keysOf(realm) };
}

/** Runs a store operation; while Redis is away it rejects with 'store-away'. */
export async function inStore<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new OperatorError(
      'store-away',
      'The store (Redis) does not answer, so nothing is changed. Models keep serving.',
      {
        hint: 'Try again when Redis is back; status still looks at the nodes.',
        cause: error,
      },
    );
  }
}

/** A Lua script. It answers a list of words: the outcome, then what belongs to it. */
export type Script = (store: Store, keys: readonly string[], args: readonly (string | number)[]) => Promise<string[]>;

export function script(lua: string): Script {
  const hash = createHash('sha1').update(lua).digest('hex');
  return ({ redis }, keys, args) =>
    inStore(async () => {
      try {
        return words(await redis.evalsha(hash, keys.length, ...keys, ...args));
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return words(await redis.eval(lua, keys.length, ...keys, ...args));
      }
    });
}

/** What becomes of a key: its new value, for `ttlMs` if that is given; null: it is removed. */
export interface Write {
  key: string;
  value: string | number | null;
  ttlMs?: number;
}

/**
 * Reads keys (of text that is never empty; null: absent), lets `decide` say what follows, and writes that only if what was
 * read is still so; else reads and decides again. `writes` may touch only these keys.
 */
export async function compareAndSet<D extends { writes: readonly Write[] }>(
  store: Store,
  keys: readonly string[],
  decide: (values: readonly (string | null)[]) => D,
): Promise<D> {
  for (;;) {
    const values = await inStore(() => store.redis.mget([...keys]));
    const decision = decide(values);
    if (decision.writes.length === 0) return decision;
    const args = decision.writes.flatMap(({ key, value, ttlMs }) => [keys.indexOf(key) + 1, value ?? '', ttlMs ?? '']);
    const [outcome] = await writeUnchanged(store, keys, [...values.map((value) => value ?? ''), ...args]);
    if (outcome === 'ok') return decision;
  }
}

/** For scripts: whether the first `count` keys and values are what the store has; '' is absent. */
export const UNCHANGED = `
local function unchanged(count)
  for i = 1, count do
    if (redis.call('GET', KEYS[i]) or '') ~= ARGV[i] then return false end
  end
  return true
end
`;

/** For scripts: an event goes to the end of its deployment's stream, under the record's next number; '' is none. */
export const APPEND = `
local function append(record, events, event)
  if event == '' then return end
  redis.call('XADD', events, redis.call('HINCRBY', record, 'seq', 1) .. '-0', 'event', event)
end
`;

const writeUnchanged = script(`${UNCHANGED}
if not unchanged(#KEYS) then return {'changed'} end
for i = #KEYS + 1, #ARGV, 3 do
  local key, value, ttl = KEYS[tonumber(ARGV[i])], ARGV[i + 1], ARGV[i + 2]
  if value == '' then redis.call('DEL', key)
  elseif ttl == '' then redis.call('SET', key, value)
  else redis.call('SET', key, value, 'PX', ttl) end
end
return {'ok'}
`);

function words(reply: unknown): string[] {
  return Array.isArray(reply) ? reply.map(String) : [String(reply)];
}

const BUSY_REPLY = /^(LOADING|MISCONF|OOM|READONLY|BUSY|MASTERDOWN|NOREPLICAS)\b/;

function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ReplyError' ? BUSY_REPLY.test(error.message) : CONNECTION_ERROR.test(error.message);
}

const CONNECTION_ERROR =
  /Command timed out|enableOfflineQueue|Connection is closed|max retries per request|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|Socket/i;
