import type { Logger } from 'pino';
import { explain } from '../../errors.ts';
import type { RecordWriter } from '../record-writer.ts';
import { endState } from './abort-run.ts';
import { aborting, ended } from './record-changes.ts';
import { STALLS } from './stalls.ts';

/**
 * A bug outside a phase ends a run without an end, and the queue is given it again. Like a phase in which processes die it
 * is not tried for ever: first it only undoes, and when that breaks as well it ends as it is.
 */
export async function countBreak(writer: RecordWriter, error: unknown, now: () => Date, log: Logger): Promise<void> {
  const { text, hint, ref } = explain(error);
  // What was foreseen says itself that it passes.
  if (ref === undefined) return;
  log.error({ err: error, ref }, 'A run broke in a way that nobody foresaw');
  await writer.write((record) => {
    const stalls = record.stalls + 1;
    if (stalls < STALLS) return { record: { ...record, stalls } };
    if (record.state === 'aborting') return ended(record, endState(record), now());
    return aborting({ ...record, stalls: 0 }, { why: 'failed', cause: { text, lines: [] }, remedy: hint }, now());
  });
}
