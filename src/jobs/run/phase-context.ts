import type { Progress } from '../../cluster/finding.ts';
import type { PhaseName } from '../deployment.ts';
import type { PhaseContext } from '../phases/phase.ts';
import { progressed } from './record-changes.ts';
import type { Run } from './run-phase.ts';

/** Progress is written at most this often; the last one of a phase's burst is never lost. */
const PROGRESS_MS = 1_000;

export interface ContextOptions {
  signal: AbortSignal;
  /** When its limit is over, as performance.now() counts. */
  endsAt: number;
  undoing?: boolean;
  /** For the text of a limit: what was seen last. */
  onSeen?: (seen: string) => void;
}

/** What one phase touches, bound to its signal. */
export function phaseContext(
  run: Run,
  phase: PhaseName,
  { signal, endsAt, undoing = false, onSeen }: ContextOptions,
): PhaseContext {
  const { writer } = run;
  const { plan, number } = writer.record;
  let next: Progress | undefined;
  let writing = false;

  async function progress(value: Progress): Promise<void> {
    onSeen?.(progressText(value));
    next = value;
    if (writing) return;
    writing = true;
    writeProgress();
  }

  function writeProgress(): void {
    const value = next;
    next = undefined;
    if (!value || signal.aborted) {
      writing = false;
      return;
    }
    void writer.writeLater((record) =>
      record.phase === phase && record.state === 'running' ? progressed(record, value) : undefined,
    );
    setTimeout(writeProgress, PROGRESS_MS).unref();
  }

  return {
    plan,
    number,
    get record() {
      return writer.record;
    },
    hurry: run.hurry,
    gate: run.gate,
    tolerates: run.tolerates,
    samplesOf: run.samplesOf,
    leaveSample: run.leaveSample,
    machines: run.machines(signal, { undoing, onRetry: (why) => onSeen?.(why) }),
    signal,
    get limitMs() {
      return Math.max(0, endsAt - performance.now());
    },
    secret: run.secret,
    checks: (rows) => writer.writeLater((record) => ({ record, event: { kind: 'checks', phase, rows } })),
    note: (level, text, more = {}) => {
      onSeen?.(text);
      return writer.writeLater((record) => ({ record, event: { kind: 'note', phase, level, text, ...more } }));
    },
    progress,
    keep: (facts) => writer.writeLater((record) => ({ record: { ...record, ...facts } })),
  };
}

function progressText({ stage, percent, done, total }: Progress): string {
  const part = done !== undefined && total !== undefined ? ` ${done} of ${total}` : '';
  return `${stage}${part}${percent !== undefined ? ` (${percent} %)` : ''}`;
}
