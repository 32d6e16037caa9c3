import { carryOverFile } from '../../cluster/engines/carry-over.ts';
import { ensureContainer, type NodeFile } from './ensure-container.ts';
import { ownContainer } from './look-around.ts';
import type { Phase, PhaseContext } from './phase.ts';
import { answersText, gcsOf, rayAnswers, waitForRay } from './ray-head.ts';
import { removeOwn } from './remove-from-nodes.ts';

/** Done when the head's container runs. Workers start while Ray comes up in it, and see to its answer; alone, the head does. */
export const startHead: Phase = {
  name: 'start-head',

  async look(ctx) {
    const [head] = ctx.machines;
    const own = await ownContainer(head, ctx.plan);
    if (!own) return { state: 'needed', saw: `no container on ${head.node.name}` };
    if (!own.running) return { state: 'needed', saw: `${own.name} ended with code ${own.exitCode}` };
    if (!isAlone(ctx)) return { state: 'done', saw: `its container runs on ${head.node.name}` };
    return (await rayAnswers(ctx))
      ? { state: 'done', saw: answersText(ctx) }
      : { state: 'needed', saw: `${own.name} runs, but Ray does not answer at ${gcsOf(ctx)}` };
  },

  async act(ctx) {
    await ensureContainer(ctx, ctx.machines[0], filesOf(ctx));
    if (isAlone(ctx)) await waitForRay(ctx);
  },

  undo: (ctx) => removeOwn(ctx, ctx.machines[0]),
};

function isAlone({ machines }: PhaseContext): boolean {
  return machines.length === 1;
}

/** The record is one of them, so that a node always knows which deployment its containers are of. */
function filesOf({ plan, number }: PhaseContext): NodeFile[] {
  const { uid, cluster, recipe, nodes } = plan;
  const text = `${JSON.stringify({ schema: 1, number, uid, cluster, recipe, plan })}\n`;
  const kept = carryOverFile(nodes);
  return [{ path: `${nodes[0].paths.run}/deployment.json`, text }, ...(kept ? [kept] : [])];
}
