import type { Failure } from '../../../../src/jobs/decisions/decide-stop.ts';
import type { Stop } from '../../../../src/jobs/stop-reason.ts';
import type { Guards } from './guards.ts';
import { idle, PHASES, type Abort, type World } from './state.ts';

/** The run of a worker stops for this reason; what it has sent stays on its way. */
export function stopped(world: World, guards: Guards, at: number, stop: Stop): void {
  const worker = world.workers[at];
  if (!worker) return;
  abandoned(world, at);
  if (stop.why === 'lease-lost') worker.knows = 'lost';
  const after = guards.decideAfterStop(stop);
  switch (after.act) {
    case 'undo':
      undoing(world, guards, at, after.reason);
      break;
    case 'end':
      worker.abort = ['write-end'];
      worker.at = 'work';
      break;
    case 'void':
    case 'leave':
    case 'hand-over':
      world.workers[at] = idle();
  }
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
  const options = { fresh: reason !== undefined, raised: worker.raised.every((each) => each === 'ok') };
  worker.abort = guards.abortSteps(begun, options).map((step): Abort => {
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
  const refused = worker.raised.includes('refused') || worker.raised.includes('newer');
  worker.raised = refused ? ['no', 'no'] : [again(worker.raised[0]), again(worker.raised[1])];
}

function again<R>(raise: R): R | 'no' {
  return raise === 'sent' ? 'no' : raise;
}

/** Where a phase's own container is: the head is the first node. */
export const NODE_OF = [1, 0, 1, 0] as const;
