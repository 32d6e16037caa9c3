import type { Logger } from 'pino';
import type { Cluster } from '../../config/cluster-file.ts';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors.ts';
import type { Changes } from '../changes.ts';
import { stateFolder } from '../looks/look-at-node.ts';
import type { Store } from '../store.ts';
import type { Transports } from '../transports.ts';
import { writeHeadFiles, type Head } from './head-files.ts';
import { delivered, waitingFor } from './outbox.ts';

export interface HeadOutboxParts {
  store: Store;
  changes: Pick<Changes, 'onOutboxFilled'>;
  config: () => Promise<Config>;
  transports: Transports;
  everyMs: number;
  log: Logger;
}

/** Each is a line of at most a few KB. */
const AT_ONCE = 200;

/** Brings what waits in the clusters' outboxes to their heads: when something comes, and every `everyMs`. A head that is away keeps its own waiting. */
export function startHeadOutbox(parts: HeadOutboxParts): { stop: () => Promise<void> } {
  const { log } = parts;
  const stopping = new AbortController();
  const running = new Map<string, { again: boolean; done: Promise<void> }>();

  function ensure(cluster: string): void {
    if (stopping.signal.aborted) return;
    const known = running.get(cluster);
    if (known) {
      known.again = true;
      return;
    }
    const entry = { again: false, done: Promise.resolve() };
    running.set(cluster, entry);
    entry.done = emptyOutbox(parts, cluster, stopping.signal)
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        if (error instanceof OperatorError)
          log.debug({ err: error, cluster }, 'Its head was not written to; again soon');
        else log.error({ err: error, cluster }, 'Writing to a head broke in a way that nobody foresaw');
        // It comes again with the next round, not at once.
        entry.again = false;
      })
      .finally(() => {
        running.delete(cluster);
        if (entry.again) ensure(cluster);
      });
  }

  async function sweep(): Promise<void> {
    try {
      for (const cluster of (await parts.config()).clusters.keys()) ensure(cluster);
    } catch (error) {
      log.debug({ err: error }, 'No round for the heads; again soon');
    }
  }

  const stopListening = parts.changes.onOutboxFilled(ensure);
  const timer = setInterval(() => void sweep(), parts.everyMs);
  void sweep();
  return {
    stop: async () => {
      stopListening();
      clearInterval(timer);
      stopping.abort(new Error('The worker stops'));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Until nothing waits. Rejects with what kept the head from being written to. */
async function emptyOutbox(
  { store, config, transports }: Pick<HeadOutboxParts, 'store' | 'config' | 'transports'>,
  cluster: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const items = await waitingFor(store, cluster, AT_ONCE);
    if (items.length === 0) return;
    const all = await config();
    const known = all.clusters.get(cluster);
    const head = known && headOf(all, known, transports, signal);
    if (!head) return;
    await delivered(store, cluster, await writeHeadFiles(head, items));
  }
}

/** The head of a cluster, with the limit of one quick command. */
export function headOf(
  { sparkops }: Config,
  cluster: Cluster,
  transports: Transports,
  signal: AbortSignal,
): Head | undefined {
  const node = cluster.nodes.find(({ role }) => role === 'head');
  if (!node) return undefined;
  const { connect, read } = sparkops.timeouts;
  return {
    transport: transports.to(cluster),
    node: node.name,
    state: stateFolder(cluster, node),
    realm: sparkops.name,
    signal,
    limitMs: connect + read,
  };
}
