import type { Deployment } from '../deployment.ts';
import type { RecordWriter } from '../record-writer.ts';
import { RunStopped } from '../stop-reason.ts';
import { aborting } from './record-changes.ts';

/** A phase in which this many processes died is not tried again. */
export const STALLS = 3;

/** Counts what the queue has judged since the last pick-up. `counted` is the queue's own count, over all phases. */
export async function withStalls(writer: RecordWriter, counted: number, now: () => Date): Promise<Deployment> {
  return writer.write((record) => {
    const fresh = counted - (record.stallsSeen ?? 0);
    if (fresh === 0) return undefined;
    // A job that was put back by the reconciler counts from 0 again.
    const stalls = record.stalls + Math.max(fresh, 0);
    const next = { ...record, stallsSeen: counted, stalls };
    return stalls >= STALLS && record.state !== 'aborting'
      ? aborting(next, tooManyStalls(next), now())
      : { record: next };
  });
}

function tooManyStalls({ phase, stalls }: Deployment): Extract<RunStopped['stop'], { why: 'failed' }> {
  return {
    why: 'failed',
    cause: { text: `The process that ran it died ${stalls} times in ${phase ?? 'its start'}`, lines: [] },
    remedy: "Look at the log of sparkops' worker before you deploy again.",
  };
}
