import type { Logger } from 'pino';
import { inStore, script, type Store } from '../store.ts';

/** "ID KIND TEXT": what is to lie on a cluster's head, in one line. The kinds are those of head-files.sh. */
export type HeadItem = string;

/** Lines of the audit that a head which is away for long may miss: the store's own stream keeps them. */
const MOST_ITEMS = 1_000;

/**
 * For scripts that fill an outbox in the same step: `put(outbox, outboxId, kind, text)` answers how many were dropped.
 * Ids grow by the store's clock, so that they go on above the old ones after the store has lost its memory.
 */
export const PUT_IN_OUTBOX = `
local function put(outbox, outboxId, kind, text)
  local time = redis.call('TIME')
  local id = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', outboxId) or 0) + 1)
  local word = string.format('%.0f', id)
  redis.call('SET', outboxId, word)
  redis.call('RPUSH', outbox, word .. ' ' .. kind .. ' ' .. text)
  if redis.call('LLEN', outbox) <= ${MOST_ITEMS} then return 0 end
  for _, item in ipairs(redis.call('LRANGE', outbox, 0, -1)) do
    if string.match(item, '^%d+ audit ') then return redis.call('LREM', outbox, 1, item) end
  end
  redis.call('LPOP', outbox)
  return 1
end
`;

/** Ids that a head has seen are not given again. */
export async function goOnAbove(store: Store, id: number): Promise<void> {
  await raiseId(store, [store.keys.outboxId], [id]);
}

/** Clusters with something to deliver, with the oldest of it. */
export async function waitingFor(store: Store, cluster: string, most: number): Promise<readonly HeadItem[]> {
  return inStore(() => store.redis.lrange(store.keys.outbox(cluster), 0, most - 1));
}

/** Forgets what the head has, up to an id. */
export async function delivered(store: Store, cluster: string, id: number): Promise<void> {
  await dropUpTo(store, [store.keys.outbox(cluster)], [id]);
}

export function logDropped(log: Logger, cluster: string, dropped: string | undefined): void {
  if (Number(dropped ?? 0) === 0) return;
  log.warn({ cluster }, "Its head has been away for long: the oldest line for the head's audit file was dropped");
}

export function idOf(item: HeadItem): number {
  return Number.parseInt(item, 10);
}

const raiseId = script(`
if tonumber(redis.call('GET', KEYS[1]) or 0) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return {'ok'}
`);

const dropUpTo = script(`
while true do
  local item = redis.call('LINDEX', KEYS[1], 0)
  if not item or tonumber(string.match(item, '^%d+')) > tonumber(ARGV[1]) then return {'ok'} end
  redis.call('LPOP', KEYS[1])
end
`);
