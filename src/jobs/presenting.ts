import { randomUUID } from 'node:crypto';
import type { Jobs, View } from './jobs.ts';
import { inStore, script, type Store } from './store.ts';

type Presenting = Pick<Jobs, 'unpresented' | 'view' | 'presented' | 'present' | 'once'>;

/** One presenter per deployment, however many processes there are; longer silence gives it to another one. */
const PRESENT_MS = 10_000;

/** What a surface keeps in the store while it shows deployments. */
export function openPresenting(store: Store): Presenting {
  const { redis, keys } = store;
  return {
    unpresented: (surface) => inStore(() => redis.smembers(keys.unpresented(surface))),
    view: (uid, surface) => ({
      load: async () => {
        const text = await inStore(() => redis.hget(keys.record(uid), `view:${surface}`));
        if (text === null) return undefined;
        const view: View = JSON.parse(text);
        return view;
      },
      save: async (view) => {
        await saveView(store, [keys.record(uid)], [`view:${surface}`, JSON.stringify(view)]);
      },
    }),
    presented: async (uid, surface) => {
      await dropUnpresented(store, [keys.unpresented(surface), keys.live], [uid]);
    },
    present: async (uid, surface) => {
      const key = keys.present(uid, surface);
      const token = randomUUID();
      const taken = await inStore(() => redis.set(key, token, 'PX', PRESENT_MS, 'NX'));
      if (taken !== 'OK') return undefined;
      return {
        renew: async () => (await renewIfOurs(store, [key], [token, PRESENT_MS]))[0] === 'ok',
        release: async () => {
          await releaseIfOurs(store, [key], [token]);
        },
      };
    },
    once: async (name, ttlMs) => (await inStore(() => redis.set(keys.once(name), '1', 'PX', ttlMs, 'NX'))) === 'OK',
  };
}

// A record that was forgotten meanwhile must not come back as a view alone.
const saveView = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return {'gone'} end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return {'ok'}
`);

// A run that was admitted meanwhile has something to present again.
const dropUnpresented = script(`
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 0 then redis.call('SREM', KEYS[1], ARGV[1]) end
return {'ok'}
`);

const renewIfOurs = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'lost'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ok'}
`);

const releaseIfOurs = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {'ok'}
`);
