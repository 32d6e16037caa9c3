import { OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import { isEnded } from './deployment.ts';
import type { Hold } from './hold-rules.ts';

type Refused = 'Not started' | 'Not stopped' | 'Not unlocked';

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

/** Somebody's hold, or a freeze of all clusters, is in the way. A surface may tell it in its own way, as with `ClusterBusy`. */
export class ClusterHeld extends OperatorError {
  /** What did not happen: "Not started". */
  readonly what: string;
  /** Undefined: all of them are frozen. */
  readonly cluster: string | undefined;
  readonly hold: Hold;

  constructor(what: string, cluster: string | undefined, hold: Hold) {
    const { name, reason, until } = hold;
    const end = `${until.slice(0, 16).replace('T', ' ')} UTC`;
    const holds = cluster === undefined ? 'has frozen all clusters' : `holds ${cluster}`;
    super('busy', `${what}: ${name} ${holds} until ${end}, ${reason}. Nothing was changed.`, {
      hint:
        cluster === undefined
          ? 'An admin ends it with: unfreeze'
          : `${name} or an approver ends it with: unlock ${cluster}`,
    });
    this.what = what;
    this.cluster = cluster;
    this.hold = hold;
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
