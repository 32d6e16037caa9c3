import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors.ts';
import { pruneAudit } from '../audit.ts';
import type { Changes } from '../changes.ts';
import type { Journal } from '../journal.ts';
import type { DeployQueue } from '../queue.ts';
import { inStore, type Store } from '../store.ts';
import type { Transports } from '../transports.ts';
import { findDead } from './find-dead.ts';
import { readNodes } from './read-nodes.ts';
import { remember } from './remember.ts';
import { readMissedHeads } from './remember-holds.ts';
import { endAskedCancel, freeClaim, replacedBy, requeue } from './tidy.ts';

export interface ReconcilerParts {
  store: Store;
  journal: Journal;
  queue: DeployQueue;
  changes: Changes;
  config: () => Promise<Config>;
  transports: Transports;
  everyMs: number;
  now: () => Date;
  log: Logger;
}

/** After a round that failed: the store may just not be connected yet, and admission waits for the counter. */
const AGAIN_MS = 500;

export interface Reconciler {
  /** When a round last went through. */
  lastRound: () => Date | undefined;
  stop: () => Promise<void>;
}

/** Brings store, queue and nodes together: at once, then every `everyMs`, and when an admission misses the counter. */
export function startReconciler(parts: ReconcilerParts): Reconciler {
  const { log } = parts;
  const stopping = new AbortController();
  let wake: () => void = () => undefined;
  let lastRound: Date | undefined;
  const stopListening = parts.changes.onCounterWanted(() => wake());

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let waitMs = parts.everyMs;
      try {
        await reconcile(parts, stopping.signal);
        lastRound = parts.now();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof OperatorError) log.debug({ err: error }, 'Not reconciled; again soon');
        else log.error({ err: error }, 'Reconciling broke in a way that nobody foresaw');
        waitMs = Math.min(parts.everyMs, AGAIN_MS);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (stopping.signal.aborted) wake();
      });
    }
  }

  const running = loop();
  return {
    lastRound: () => lastRound,
    stop: async () => {
      stopListening();
      stopping.abort(new Error('The reconciler stops'));
      wake();
      await running;
    },
  };
}

/** One round. */
export async function reconcile(parts: ReconcilerParts, signal: AbortSignal): Promise<void> {
  const { store, journal, queue, transports, log } = parts;
  const config = await parts.config();
  if ((await inStore(() => store.redis.get(store.keys.counter))) === null) {
    const memory = await memoryOf(store);
    const memories = await readNodes({ config, transports, signal, log });
    if ((await memoryOf(store)) !== memory) throw emptiedMeanwhile();
    await remember(store, config, memories, log);
  }
  for (const uid of await journal.live()) {
    const entry = await journal.find(uid);
    if (entry && (await requeue(store, queue, entry))) {
      log.warn({ deployment: entry.record.number }, 'It had no job in the queue: put back');
    }
    if (entry) await endAskedCancel(journal, entry, parts.now());
  }
  for (const cluster of config.clusters.keys()) {
    if (await freeClaim(store, journal, cluster)) log.warn({ cluster }, 'Its claim had no run any more: freed');
    const beingReplaced = await replacedBy(store, journal, cluster);
    for (const uid of await inStore(() => store.redis.zrange(store.keys.serving(cluster), 0, '-1'))) {
      const entry = await journal.find(uid);
      if (entry && !beingReplaced.has(uid)) await findDead({ ...parts, config, signal }, entry);
    }
  }
  await readMissedHeads({ store, config, transports, signal, log });
  await pruneAudit(store, config.sparkops.audit_keep, parts.now());
  await journal.prune();
}

/** Names what the store knows now: another one after it was emptied. */
async function memoryOf({ redis, keys }: Store): Promise<string | null> {
  await inStore(() => redis.set(keys.memory, randomUUID(), 'NX'));
  return inStore(() => redis.get(keys.memory));
}

function emptiedMeanwhile(): OperatorError {
  return new OperatorError('conflict', 'The store was emptied while the nodes were read: what they said may be old', {
    hint: 'They are read again within a second.',
  });
}
