import { setTimeout as sleep } from 'node:timers/promises';
import { putFile } from '../../cluster/docker.ts';
import { carryOverFile } from '../../cluster/engines/carry-over.ts';
import type { Machine } from '../../cluster/machine.ts';
import { OperatorError } from '../../errors.ts';
import { beforeLimit } from './before-limit.ts';
import { ensureContainer, lastWords } from './ensure-container.ts';
import { ownContainer } from './look-around.ts';
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
    await writeRecord(ctx, head);
    await ensureContainer(ctx, head);
    await waitForRay(ctx, head);
  },

  undo: (ctx) => removeOwn(ctx, ctx.machines[0]),
};

/** Before anything runs, so that a node always knows which deployment its containers are of. */
async function writeRecord({ plan, number }: PhaseContext, head: Machine): Promise<void> {
  const { uid, cluster, recipe } = plan;
  const record = `${JSON.stringify({ schema: 1, number, uid, cluster, recipe, plan })}\n`;
  await put(head, `${head.node.paths.run}/deployment.json`, record);
  const kept = carryOverFile(plan.nodes);
  if (kept) await put(head, kept.path, kept.text);
}

async function put(head: Machine, path: string, stdin: string): Promise<void> {
  const { exitCode, stderr } = await head.change(putFile(head.node, path), { stdin });
  if (exitCode === 0) return;
  throw new OperatorError('command-failed', `${path} on ${head.node.name} could not be written.`, {
    hint: `Look at the folder and the disk of ${head.node.name}.`,
    lines: stderr.trim().split('\n').slice(-5),
    node: head.node.name,
  });
}

async function waitForRay(ctx: PhaseContext, head: Machine): Promise<void> {
  const { name, container } = head.node;
  const giveUp = performance.now() + beforeLimit(ctx);
  for (let poll = 0; !(await rayAnswers(ctx)); poll++) {
    const own = poll % POLLS_PER_LOOK === POLLS_PER_LOOK - 1 ? await ownContainer(head, ctx.plan) : undefined;
    if (own && !own.running) {
      const why = own.outOfMemory ? ': the node ran out of memory' : '';
      throw new OperatorError(
        'command-failed',
        `Ray on ${name} ended with code ${own.exitCode} before it answered${why}.`,
        {
          hint: `On ${name}: docker logs ${container.name}`,
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
