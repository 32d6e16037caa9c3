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
import { countOn, rememberServing } from './remember.ts';
import { readMissedHeads, rememberHolds } from './remember-holds.ts';
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

/** What this process knows of the store that it has last compared with the nodes. */
export interface Read {
  /** The store's memory at that time. */
  memory?: string | null;
  /** The counter, as last seen: it never goes down, but in a store that was restored from before. */
  counter: number;
}

/** Brings store, queue and nodes together: at once, then every `everyMs`, and when an admission misses the counter. */
export function startReconciler(parts: ReconcilerParts): Reconciler {
  const { log } = parts;
  const stopping = new AbortController();
  let wake: () => void = () => undefined;
  let lastRound: Date | undefined;
  const read: Read = { counter: 0 };
  const stopListening = parts.changes.onCounterWanted(() => wake());

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let waitMs = parts.everyMs;
      try {
        await reconcile(parts, stopping.signal, read);
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

/** One round. The nodes are read in a process's first one, and whenever the store may know less than they do. */
export async function reconcile(parts: ReconcilerParts, signal: AbortSignal, read: Read): Promise<void> {
  const { store, journal, queue, transports, log } = parts;
  const config = await parts.config();
  const memory = await memoryOf(store);
  const counter = await inStore(() => store.redis.get(store.keys.counter));
  if (memory !== read.memory || counter === null || Number(counter) < read.counter) {
    const memories = await readNodes({ config, transports, signal, log });
    if ((await memoryOf(store)) !== memory) throw emptiedMeanwhile();
    await rememberServing(store, memories, log);
    if (counter === null) {
      await rememberHolds(store, config, memories, log);
      await countOn(store, memories, log);
    }
    read.memory = memory;
  }
  read.counter = Number(counter);
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

/** Names what the store knows now: another one after it was emptied, or found to know less than the nodes. */
async function memoryOf({ redis, keys }: Store): Promise<string | null> {
  await inStore(() => redis.set(keys.memory, randomUUID(), 'NX'));
  return inStore(() => redis.get(keys.memory));
}

function emptiedMeanwhile(): OperatorError {
  return new OperatorError('conflict', 'The store was emptied while the nodes were read: what they said may be old', {
    hint: 'They are read again within a second.',
  });
}
