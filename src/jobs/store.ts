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
