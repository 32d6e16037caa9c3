import type { Failure } from '../../../../src/jobs/decisions/decide-stop.ts';
import type { Stop } from '../../../../src/jobs/stop-reason.ts';
import type { Guards } from './guards.ts';
import { idle, type Abort, type World } from './state.ts';

/** The run of a worker stops for this reason; what it has sent stays on its way. */
export function stopped(world: World, guards: Guards, at: number, stop: Stop): void {
  const worker = world.workers[at];
  if (!worker) return;
  abandoned(world, at);
  if (stop.why === 'lease-lost') worker.knows = 'lost';
  const after = guards.decideAfterStop(stop);
  if (after.act === 'undo') undoing(world, guards, at, after.reason);
  else world.workers[at] = idle();
}

/** Without a reason: it goes on with what is written down as aborting. */
export function undoing(world: World, guards: Guards, at: number, reason?: Failure): void {
  const worker = world.workers[at];
  if (!worker) return;
  const begun = PHASES.slice(0, worker.rec.phase + 1).map((_, phase) => ({
    phase,
    changes: true,
    undoes: phase > 0,
    undone: false,
  }));
  worker.abort = guards.abortSteps(begun, { fresh: reason !== undefined }).map((step): Abort => {
    if (step.act === 'undo') return step.phase;
    return step.act === 'raise' && step.higher ? 'raise-higher' : step.act;
  });
  worker.at = 'work';
}

/** Nobody waits any more for what this worker has sent. */
export function abandoned(world: World, at: number): void {
  const worker = world.workers[at];
  for (const { running, inbox } of world.nodes) {
    for (const message of [...running, ...inbox]) if (message.token === worker?.token) message.awaited = false;
  }
  if (!worker) return;
  worker.told = 0;
  const refused = worker.raised.includes('refused');
  worker.raised = refused ? ['no', 'no'] : [again(worker.raised[0]), again(worker.raised[1])];
}

function again<R>(raise: R): R | 'no' {
  return raise === 'sent' ? 'no' : raise;
}

/** The changing commands of a deploy, one phase each; undone are all but the first. */
export const PHASES = ['stop-previous', 'start-head', 'start-workers', 'serve'] as const;
/** Where a phase's own container is: the head is the first node. */
export const NODE_OF = [1, 0, 1, 0] as const;
