import { OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import { isEnded } from './deployment.ts';

/** Why a deploy is not started, or a stop not done: the cluster belongs to `holder`. */
export function busy(
  what: 'Not started' | 'Not stopped',
  cluster: string,
  holder: Deployment | undefined,
): OperatorError {
  if (!holder) {
    return new OperatorError(
      'busy',
      `${what}: ${cluster} belongs to a deployment that is just ending. Nothing was changed.`,
      {
        hint: 'Try again in a few seconds.',
      },
    );
  }
  const { number, recipe, by } = holder;
  const who = `#${number} ${recipe} of <@${by.user}>`;
  if (isEnded(holder.state)) {
    return new OperatorError(
      'busy',
      `${what}: ${cluster} serves ${who}, since ${since(holder)}. Nothing was changed.`,
      {
        hint: `Stop it first: stop ${cluster}`,
      },
    );
  }
  const doing = holder.run === 'stop' ? 'is being stopped' : doingText(holder);
  return new OperatorError(
    'busy',
    `${what}: ${cluster} is busy with ${who}: ${doing}, since ${since(holder)}. Nothing was changed.`,
    {
      hint:
        holder.run === 'stop' ? 'Try again when it has stopped.' : `Wait until it ends, or cancel it: cancel ${number}`,
    },
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

function doingText({ state, phase }: Deployment): string {
  return phase === undefined ? state : `${state}, phase ${phase}`;
}

/** HH:MM of the phase's start, of the end, or of the admission. */
function since({ phases, phase, createdAt, endedAt }: Deployment): string {
  const at = endedAt ?? phases.find(({ name }) => name === phase)?.startedAt ?? createdAt;
  return `${at.slice(11, 16)} UTC`;
}
