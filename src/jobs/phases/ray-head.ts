import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine } from '../../cluster/machine.ts';
import { OperatorError } from '../../errors.ts';
import { beforeLimit } from './before-limit.ts';
import { lastWords } from './ensure-container.ts';
import { endedContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { PhaseContext } from './phase.ts';

const POLL_MS = 250;
/** The container is looked at less often than its port: that costs the node more. */
const POLLS_PER_LOOK = 8;

/** "Ray answers at 192.168.200.12:29501, seen from spark2". */
export function answersText(ctx: PhaseContext): string {
  const from = watchers(ctx).map(({ node }) => node.name);
  return `Ray answers at ${gcsOf(ctx)}, seen from ${from.join(', ')}`;
}

/** HOST:PORT of Ray's server (GCS) on the head, on the fabric. */
export function gcsOf({ plan }: PhaseContext): string {
  return `${plan.nodes[0].fabric.address}:${plan.rayPort}`;
}

/** Until Ray's port answers from every node that joins it. Throws when the head's container has ended, or shortly before the phase's limit. */
export async function waitForRay(ctx: PhaseContext): Promise<void> {
  const [head] = ctx.machines;
  const { name } = head.node;
  const giveUp = performance.now() + beforeLimit(ctx);
  for (let poll = 0; !(await rayAnswers(ctx)); poll++) {
    const ended = poll % POLLS_PER_LOOK === POLLS_PER_LOOK - 1 ? await endedContainer(head, ctx.plan) : undefined;
    if (ended) throw await endedEarly(head, ended.own);
    if (performance.now() > giveUp) {
      throw new OperatorError('timeout', `Ray on ${name} runs, but nothing answers at ${gcsOf(ctx)}.`, {
        hint: `Does ${name} have that address, and does a firewall stand between the nodes?`,
        lines: await lastWords(head),
        node: name,
        short: `Ray on ${name} doesn't answer`,
      });
    }
    await sleep(POLL_MS, undefined, { signal: ctx.signal }).catch(() => ctx.signal.throwIfAborted());
  }
}

export async function rayAnswers(ctx: PhaseContext): Promise<boolean> {
  const { plan } = ctx;
  const target = { host: plan.nodes[0].fabric.address, port: plan.rayPort };
  try {
    await onEach(watchers(ctx), async (machine) => (await machine.dial(target)).destroy());
    return true;
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof OperatorError && error.code === 'unreachable') return false;
    throw error;
  }
}

async function endedEarly(
  head: Machine,
  own: { exitCode: number; outOfMemory: boolean } | undefined,
): Promise<OperatorError> {
  const { name } = head.node;
  if (!own) {
    return new OperatorError('command-failed', `The container of Ray's head on ${name} is gone.`, {
      hint: `Somebody removed it: ask who, then deploy again. What runs there: docker ps on ${name}`,
      node: name,
      short: `${name} lost Ray's container`,
    });
  }
  const why = own.outOfMemory ? ': the node ran out of memory' : '';
  return new OperatorError(
    'command-failed',
    `Ray on ${name} ended with code ${own.exitCode} before it answered${why}.`,
    {
      hint: 'sparkops plan prints the docker command, to be tried by hand.',
      lines: await lastWords(head),
      node: name,
      short: own.outOfMemory ? `${name} ran out of memory` : `Ray on ${name} ended`,
    },
  );
}

/** From where Ray's port must answer: the workers, or the head when it is alone. */
function watchers({ machines: [head, ...workers] }: PhaseContext): readonly Machine[] {
  return workers.length > 0 ? workers : [head];
}
