import { setTimeout as sleep } from 'node:timers/promises';
import { carryOverFile } from '../../cluster/engines/carry-over.ts';
import type { Machine } from '../../cluster/machine.ts';
import { OperatorError } from '../../errors.ts';
import { beforeLimit } from './before-limit.ts';
import { ensureContainer, lastWords, type NodeFile } from './ensure-container.ts';
import { endedContainer, ownContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { Phase, PhaseContext } from './phase.ts';
import { removeOwn } from './remove-from-nodes.ts';

const POLL_MS = 250;
/** The container is looked at less often than its port: that costs the node more. */
const POLLS_PER_LOOK = 4;

/** Done when Ray's port on the head answers where the workers are. */
export const startHead: Phase = {
  name: 'start-head',

  async look(ctx) {
    const [head] = ctx.machines;
    const own = await ownContainer(head, ctx.plan);
    if (!own) return { state: 'needed', saw: `no container on ${head.node.name}` };
    if (!own.running) return { state: 'needed', saw: `${own.name} ended with code ${own.exitCode}` };
    return (await rayAnswers(ctx))
      ? {
          state: 'done',
          saw: `Ray answers at ${gcsOf(ctx)}, seen from ${watchers(ctx)
            .map(({ node }) => node.name)
            .join(', ')}`,
        }
      : { state: 'needed', saw: `${own.name} runs, but Ray does not answer at ${gcsOf(ctx)}` };
  },

  async act(ctx) {
    const [head] = ctx.machines;
    await ensureContainer(ctx, head, filesOf(ctx));
    await waitForRay(ctx, head);
  },

  undo: (ctx) => removeOwn(ctx, ctx.machines[0]),
};

/** The record is one of them, so that a node always knows which deployment its containers are of. */
function filesOf({ plan, number }: PhaseContext): NodeFile[] {
  const { uid, cluster, recipe, nodes } = plan;
  const text = `${JSON.stringify({ schema: 1, number, uid, cluster, recipe, plan })}\n`;
  const kept = carryOverFile(nodes);
  return [{ path: `${nodes[0].paths.run}/deployment.json`, text }, ...(kept ? [kept] : [])];
}

async function waitForRay(ctx: PhaseContext, head: Machine): Promise<void> {
  const { name } = head.node;
  const giveUp = performance.now() + beforeLimit(ctx);
  for (let poll = 0; !(await rayAnswers(ctx)); poll++) {
    const ended = poll % POLLS_PER_LOOK === POLLS_PER_LOOK - 1 ? await endedContainer(head, ctx.plan) : undefined;
    const own = ended?.own;
    if (own) {
      const why = own.outOfMemory ? ': the node ran out of memory' : '';
      throw new OperatorError(
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

async function rayAnswers(ctx: PhaseContext): Promise<boolean> {
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

/** From where Ray's port must answer: the workers, or the head when it is alone. */
function watchers({ machines: [head, ...workers] }: PhaseContext): readonly Machine[] {
  return workers.length > 0 ? workers : [head];
}

function gcsOf({ plan }: PhaseContext): string {
  return `${plan.nodes[0].fabric.address}:${plan.rayPort}`;
}
