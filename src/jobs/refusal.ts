import { OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import { isEnded } from './deployment.ts';

type Refused = 'Not started' | 'Not stopped';

/** The cluster belongs to `holder`. A surface may tell it in its own way: with the person, and times in the reader's zone. */
export class ClusterBusy extends OperatorError {
  readonly what: Refused;
  readonly cluster: string;
  readonly holder: Deployment;

  constructor(what: Refused, cluster: string, holder: Deployment) {
    super('busy', `${what}: ${cluster} ${doing(holder)}. Nothing was changed.`, { hint: hintFor(cluster, holder) });
    this.what = what;
    this.cluster = cluster;
    this.holder = holder;
  }
}

/** Why a deploy is not started, or a stop not done. */
export function busy(what: Refused, cluster: string, holder: Deployment | undefined): OperatorError {
  if (holder) return new ClusterBusy(what, cluster, holder);
  return new OperatorError(
    'busy',
    `${what}: ${cluster} belongs to a deployment that is just ending. Nothing was changed.`,
    { hint: 'Try again in a few seconds.' },
  );
}

export function starting(): OperatorError {
  return new OperatorError('starting', 'Just started, reading the nodes. Nothing was changed.', {
    hint: 'Try again in a few seconds.',
  });
}

export function storeAway(): OperatorError {
  return new OperatorError('store-away', 'The store (Redis) answered too late, so nothing was changed.', {
    hint: 'Try again.',
  });
}

function doing({ number, recipe, run, state, phase }: Deployment): string {
  const which = `#${number} ${recipe}`;
  if (isEnded(state)) return `serves ${which}`;
  if (run === 'stop') return `is busy with ${which}: it is being stopped`;
  return `is busy with ${which}: ${phase === undefined ? state : `${state}, phase ${phase}`}`;
}

function hintFor(cluster: string, { number, run, state }: Deployment): string {
  if (isEnded(state)) return `Stop it first: stop ${cluster}`;
  return run === 'stop' ? 'Try again when it has stopped.' : `Wait until it ends, or cancel it: cancel ${number}`;
}
