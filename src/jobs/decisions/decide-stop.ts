import { isEnded, type Deployment, type PhaseName, type State } from '../deployment.ts';
import type { Stop } from '../stop-reason.ts';

export type Failure = Extract<Stop, { why: 'failed' | 'cancelled' }>;
export type Superseded = Extract<Stop, { why: 'superseded' }>;

type AfterStop =
  | { act: 'undo'; reason: Failure }
  | { act: 'void'; text: string }
  /** As failed: what stands on the nodes is not this attempt's any more. */
  | { act: 'end'; reason: Superseded }
  /** Nothing is touched: another process goes on, or people decide first. */
  | { act: 'leave'; outcome: 'lease-lost' | 'parked' }
  | { act: 'hand-over'; because: string };

/** What a run does about the reason for which it stopped. */
export function decideAfterStop(stop: Stop): AfterStop {
  switch (stop.why) {
    case 'failed':
    case 'cancelled':
      return { act: 'undo', reason: stop };
    case 'unknown':
      // A phase turns it into 'failed' at its limit; here nothing is left to look at.
      return { act: 'undo', reason: { ...stop, why: 'failed' } };
    case 'void':
      return { act: 'void', text: stop.text };
    case 'superseded':
      return { act: 'end', reason: stop };
    case 'parked':
    case 'lease-lost':
      return { act: 'leave', outcome: stop.why };
    case 'handover':
      return { act: 'hand-over', because: stop.because };
  }
}

/** What a process that picks a deployment up does with it: a takeover begins at the recorded phase, one that is done is not run again. */
export function decideStart(
  { state, phase, phases }: { state: State } & Pick<Deployment, 'phase' | 'phases'>,
  order: readonly PhaseName[],
): { act: 'nothing' } | { act: 'undo' } | { act: 'run'; from: number } {
  if (isEnded(state)) return { act: 'nothing' };
  if (state === 'aborting') return { act: 'undo' };
  const at = phase === undefined ? -1 : order.indexOf(phase);
  if (at === -1) return { act: 'run', from: 0 };
  const isDone = phases.find(({ name }) => name === phase)?.state === 'done';
  return { act: 'run', from: isDone ? at + 1 : at };
}

export type AbortStep<P> =
  | { act: 'write-aborting' }
  /**
   * What stopped the run may have left a command that was sent and has not begun on its node yet: it must not begin after
   * its undo, nor after the end. One that has begun is waited for, by the node's lock. A process that has not raised yet
   * can't know from the record that there is none: the store may have lost that a phase had begun.
   */
  | { act: 'raise'; higher: boolean }
  | { act: 'undo'; phase: P }
  | { act: 'write-end' };

/**
 * How an attempt is given up: newest phase first. `begun` are its phases that have been started, oldest first. `fresh`: it
 * is not written yet that it is being given up; a process that took that over has a higher fence already. `raised`: this
 * process has raised its fence where it could.
 */
export function abortSteps<P>(
  begun: readonly { phase: P; changes: boolean; undoes: boolean; undone: boolean }[],
  { fresh, raised }: { fresh: boolean; raised: boolean },
): AbortStep<P>[] {
  const first: AbortStep<P>[] = fresh ? [{ act: 'write-aborting' }] : [];
  const mayChange = begun.some(({ changes }) => changes);
  const raise: AbortStep<P>[] = mayChange || !raised ? [{ act: 'raise', higher: fresh && mayChange }] : [];
  const undo = begun
    .toReversed()
    .filter(({ undoes, undone }) => undoes && !undone)
    .map(({ phase }): AbortStep<P> => ({ act: 'undo', phase }));
  return [...first, ...raise, ...undo, { act: 'write-end' }];
}
