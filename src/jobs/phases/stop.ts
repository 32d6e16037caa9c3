import { listensOn } from '../../cluster/probes/listeners.ts';
import { stillThere } from './gone.ts';
import { lookAround } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { retire } from './retire.ts';

/** Retires the deployment. Stopped is what can be seen to be gone: containers, port, and what ran in them. */
export const stop: Phase = {
  name: 'stop',
  look,

  async act(ctx) {
    const { plan, number } = ctx;
    const { uid, recipe } = plan;
    const { own } = (await lookAround(ctx)).belonging;
    await retire(ctx, [{ uid, number, recipe, containers: own, plan }]);
  },
};

async function look(ctx: PhaseContext): Promise<Verdict> {
  const { plan } = ctx;
  const around = await lookAround(ctx);
  const { own } = around.belonging;
  if (own.length > 0) {
    return { state: 'needed', saw: own.map(({ node, container }) => `${container.name} on ${node}`).join(', ') };
  }
  const left = stillThere(around, new Set([plan.uid]));
  if (left) return { state: 'blocked', finding: left };
  const head = plan.nodes[0].name;
  if (!listensOn(around.headListeners, plan.port)) {
    return {
      state: 'done',
      saw: `containers are gone, port ${plan.port} on ${head} is closed, and no process is left to hold memory`,
    };
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
