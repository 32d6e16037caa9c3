import { listensOn } from '../../cluster/probes/listeners.ts';
import { lookAround } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { removeFromNodes } from './remove-from-nodes.ts';

/** Removes the deployment's containers, the head's with its engine first. Stopped is what can be seen to be gone. */
export const stop: Phase = {
  name: 'stop',
  look,

  act: (ctx) => removeFromNodes(ctx, ownNames(ctx)),
};

function ownNames({ plan }: PhaseContext): Map<string, string[]> {
  return new Map(plan.nodes.map((node) => [node.name, [node.container.name]]));
}

async function look(ctx: PhaseContext): Promise<Verdict> {
  const { plan } = ctx;
  const { belonging, headListeners } = await lookAround(ctx);
  const { own } = belonging;
  if (own.length > 0) {
    return { state: 'needed', saw: own.map(({ node, container }) => `${container.name} on ${node}`).join(', ') };
  }
  const head = plan.nodes[0].name;
  if (!listensOn(headListeners, plan.port)) {
    return { state: 'done', saw: `containers are gone, port ${plan.port} on ${head} is closed` };
  }
  return {
    state: 'blocked',
    finding: {
      short: `port ${plan.port} on ${head} is still open`,
      text: `The containers of ${plan.recipe} are gone, but port ${plan.port} on ${head} is still open.`,
      node: head,
      lines: [],
      remedy: `On ${head} see who listens: sudo ss -ltnp`,
    },
  };
}
