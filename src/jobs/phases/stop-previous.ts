import { listensOn } from '../../cluster/probes/listeners.ts';
import { lookAround } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { removeFromNodes } from './remove-from-nodes.ts';

/** Removes what other deployments left over; what serves is never touched. */
export const stopPrevious: Phase = {
  name: 'stop-previous',
  look,

  async act(ctx) {
    const { belonging } = await lookAround(ctx);
    // Something may have come to life since the look.
    if (belonging.serving.length > 0) return;
    const namesOn = (name: string) =>
      belonging.leftovers.filter(({ node }) => node === name).map(({ container }) => container.name);
    await removeFromNodes(ctx, new Map(ctx.plan.nodes.map(({ name }) => [name, namesOn(name)])));
  },
};

async function look(ctx: PhaseContext): Promise<Verdict> {
  const { plan } = ctx;
  const { belonging, headListeners } = await lookAround(ctx);
  const { serving, leftovers, own } = belonging;
  const [live] = serving;
  if (live) {
    return {
      state: 'blocked',
      finding: {
        short: `it serves ${live.recipe} (#${live.number})`,
        text: `${plan.cluster} serves ${live.recipe} (#${live.number}) by now. It was not touched.`,
        node: live.node,
        lines: [],
        remedy: `Stop it first: stop on ${plan.cluster}`,
      },
    };
  }
  if (leftovers.length > 0) {
    return { state: 'needed', saw: leftovers.map(({ node, container }) => `${container.name} on ${node}`).join(', ') };
  }
  const taken = [plan.port, plan.rayPort].filter((port) => own.length === 0 && listensOn(headListeners, port));
  if (taken.length === 0) return { state: 'done', saw: 'nothing is left over' };
  const head = plan.nodes[0].name;
  return {
    state: 'blocked',
    finding: {
      short: `port ${taken.join(' and ')} on ${head} is taken`,
      text: `Port ${taken.join(' and ')} on ${head} is still in use, though no container of ours is left there.`,
      node: head,
      lines: [],
      remedy: `On ${head} see who listens: sudo ss -ltnp`,
    },
  };
}
