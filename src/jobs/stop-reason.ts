import { type ErrorCode, explain, OperatorError } from '../errors.ts';
import type { Cause, Person } from './deployment.ts';

/** Why a run stops. What follows from each is decided in run-phases.ts. */
export type Stop =
  | { why: 'failed'; cause: Cause; remedy: string }
  | { why: 'cancelled'; by: Person }
  /** Another process acts for the deployment: touch nothing, undo nothing. */
  | { why: 'lease-lost' }
  /** A node has seen a newer attempt, so this record was restored from before: touch nothing, undo nothing. */
  | { why: 'superseded'; by: number; cause: Cause; remedy: string }
  /** This process ends: another one goes on from the recorded phase. */
  | { why: 'handover'; because: string }
  /** People are asked; a later wake-up goes on from the recorded phase. */
  | { why: 'parked' }
  /** Nothing was touched, and nothing will be: what was agreed to no longer says what would happen. */
  | { why: 'void'; text: string }
  /** A node can't be seen right now, so neither can what became of the last command: look again. */
  | { why: 'unknown'; cause: Cause; remedy: string };

/** The reason of an aborted run's signal. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(`The run stops: ${stop.why}`);
    this.stop = stop;
  }
}

/** What an error of a phase means for the run. `onBug` gets what nobody foresaw, with the reference that people are told. */
export function stopOf(error: unknown, onBug: (error: unknown, ref: string) => void): Stop {
  if (error instanceof RunStopped) return error.stop;
  const { text, lines, hint, ref } = explain(error);
  if (ref !== undefined) onBug(error, ref);
  const { node, short } = error instanceof OperatorError ? error : {};
  const cause: Cause = { text, lines, ...(node !== undefined && { node }), ...(short !== undefined && { short }) };
  return { why: error instanceof OperatorError ? whyOf(error) : 'failed', cause, remedy: hint };
}

/** Looking again may show more. Everything else that was foreseen fails the phase. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unreachable', 'outcome-unknown', 'lock-busy']);

function whyOf({ code }: OperatorError): 'unknown' | 'lease-lost' | 'failed' {
  if (code === 'stale-fence') return 'lease-lost';
  return PASSING.has(code) ? 'unknown' : 'failed';
}
