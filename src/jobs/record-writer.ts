import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import type { Entry, Journal, Mutation } from './journal.ts';
import { RunStopped } from './stop-reason.ts';

/** The one way in which a run writes to its record: in order, and again until Redis is back. */
export interface RecordWriter {
  /** As last read or written by this run. */
  readonly entry: Entry;
  readonly record: Deployment;
  /** Resolves when written. Rejects with RunStopped 'lease-lost', or the signal's reason. */
  write: (mutate: Mutation) => Promise<Deployment>;
  /** As `write`; the change also depends on these keys, whose values it is given. */
  writeWith: (reading: readonly string[], mutate: Mutation) => Promise<Deployment>;
  /** Written after what is waiting; a failure goes to the log. */
  writeLater: (mutate: Mutation) => Promise<void>;
  /** Reads the record again. */
  refresh: () => Promise<Deployment>;
}

export interface RecordWriterOptions {
  journal: Journal;
  entry: Entry;
  token: string;
  /** Ends the waiting for Redis. */
  signal: AbortSignal;
  log: Logger;
}

export function createRecordWriter({ journal, entry, token, signal, log }: RecordWriterOptions): RecordWriter {
  const { uid } = entry.record;
  let latest = entry;
  let last: Promise<unknown> = Promise.resolve();

  async function write(mutate: Mutation, reading: readonly string[] = []): Promise<Deployment> {
    const mine = last.then(() => writeUntilDone(mutate, reading));
    last = mine.catch(() => undefined);
    return mine;
  }

  async function writeUntilDone(mutate: Mutation, reading: readonly string[]): Promise<Deployment> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 1_000)) {
      signal.throwIfAborted();
      try {
        latest = await journal.change(uid, mutate, { token, reading });
        return latest.record;
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        if (error.code === 'stale-fence') throw new RunStopped({ why: 'lease-lost' });
        if (!PASSING.has(error.code)) throw error;
        log.debug({ err: error }, 'The record could not be written; trying again');
      }
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    get entry() {
      return latest;
    },
    get record() {
      return latest.record;
    },
    write: (mutate) => write(mutate),
    writeWith: (reading, mutate) => write(mutate, reading),
    writeLater: async (mutate) => {
      write(mutate).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'A note of this deployment was not written');
      });
    },
    refresh: async () => {
      const found = await journal.find(uid);
      if (found) latest = found;
      return latest.record;
    },
  };
}

/** Redis is away, the lease has lapsed and is being renewed, or the record is being put back. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['store-away', 'conflict', 'unknown-name']);
