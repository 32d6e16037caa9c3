import type { Logger } from 'pino';
import type { Cluster } from '../../config/cluster-file.ts';
import type { Config } from '../../config/config.ts';
import { explain, OperatorError } from '../../errors.ts';
import { headOf } from '../head-outbox/deliver.ts';
import { readHeadFiles, type HeadMemory } from '../head-outbox/head-files.ts';
import { goOnAbove } from '../head-outbox/outbox.ts';
import { restoreHold } from '../hold.ts';
import { remind } from '../hold-notices.ts';
import { readHold } from '../hold-rules.ts';
import { openNotices } from '../notices.ts';
import { inStore, type Store } from '../store.ts';
import type { NodeMemory, ReadNodes } from './read-nodes.ts';

/** Puts back the holds that the heads have kept. A head that was not read is read once it can be. */
export async function rememberHolds(
  store: Store,
  config: Config,
  memories: readonly NodeMemory[],
  log: Logger,
): Promise<void> {
  for (const cluster of config.clusters.values()) {
    const head = memories.find((memory) => memory.cluster === cluster.name && memory.head)?.head;
    if (head) await putBack(store, cluster, head, log);
    else await inStore(() => store.redis.sadd(store.keys.unreadHeads, cluster.name));
  }
}

/** The heads that were away when the store had lost its memory: what they hold counts again from now on. */
export async function readMissedHeads({
  store,
  config,
  transports,
  signal,
  log,
}: ReadNodes & { store: Store }): Promise<void> {
  for (const name of await inStore(() => store.redis.smembers(store.keys.unreadHeads))) {
    const cluster = config.clusters.get(name);
    const head = cluster && headOf(config, cluster, transports, signal);
    if (!head) continue;
    try {
      await putBack(store, cluster, await readHeadFiles(head), log);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      log.debug({ cluster: name }, `What its head holds is not known yet: ${explain(error).text}`);
      continue;
    }
    await inStore(() => store.redis.srem(store.keys.unreadHeads, name));
  }
}

async function putBack(store: Store, cluster: Cluster, head: HeadMemory, log: Logger): Promise<void> {
  await goOnAbove(store, head.lastId);
  const now = new Date();
  for (const [text, of] of [
    [head.hold, cluster],
    [head.freeze, undefined],
  ] as const) {
    const hold = readHold(text ?? null);
    if (!hold || Date.parse(hold.until) <= now.getTime()) continue;
    if (!(await restoreHold(store, of?.name, hold))) continue;
    await remind(openNotices(store), hold, of, now);
    const what = of === undefined ? 'A freeze of all clusters' : 'Its hold';
    log.warn({ cluster: cluster.name, by: hold.by.user, until: hold.until }, `${what} lay on the head alone: put back`);
  }
}
