import { listensOn } from '../../cluster/probes/listeners.ts';
import { planIn } from '../../cluster/probes/plan-on-node.ts';
import { stillThere } from './gone.ts';
import { lookAround, type Surroundings } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { removeFromNodes } from './remove-from-nodes.ts';
import { retire, type Retiring } from './retire.ts';

/** Retires what serves and is to be replaced, as was decided; removes what other deployments left over. Nothing else is touched. */
export const stopPrevious: Phase = {
  name: 'stop-previous',
  look,

  async act(ctx) {
    const mayGo = replaced(ctx);
    const around = await lookAround(ctx, { records: mayGo.size > 0 });
    // Something may have come to life since the look.
    if (unasked(around, mayGo).length > 0) return;
    const going = retiring(around, new Set([...mayGo, ...restarted(ctx, around)]));
    if (going.length > 0) await retire(ctx, going);
    const retired = new Set(going.map(({ uid }) => uid));
    const leftovers = around.belonging.leftovers.filter(({ container }) => !retired.has(container.uid));
    const namesOn = (name: string) =>
      leftovers.filter(({ node }) => node === name).map(({ container }) => container.name);
    await removeFromNodes(ctx, new Map(ctx.plan.nodes.map(({ name }) => [name, namesOn(name)])));
  },
};

async function look(ctx: PhaseContext): Promise<Verdict> {
  const { plan } = ctx;
  const around = await lookAround(ctx);
  const { serving, leftovers, own } = around.belonging;
  const mayGo = replaced(ctx);
  const [live] = unasked(around, mayGo);
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
  const going = [
    ...serving.map(({ recipe, number, node }) => `${recipe} (#${number}) serves on ${node}`),
    ...leftovers.map(({ node, container }) => `${container.name} on ${node}`),
  ];
  if (going.length > 0) return { state: 'needed', saw: going.join(', ') };
  const left = stillThere(around, mayGo);
  if (left) return { state: 'blocked', finding: left };
  const taken = [plan.port, plan.rayPort].filter((port) => own.length === 0 && listensOn(around.headListeners, port));
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

function replaced({ record }: PhaseContext): ReadonlySet<string> {
  return new Set((record.replaces ?? []).map(({ uid }) => uid));
}

/** What serves although nobody agreed that it goes. */
function unasked({ belonging }: Surroundings, mayGo: ReadonlySet<string>): Surroundings['belonging']['serving'] {
  return belonging.serving.filter(({ uid }) => !mayGo.has(uid));
}

/** A restart of what is down finds no engine: only leftovers, and in them what shows why. */
function restarted({ record }: PhaseContext, { belonging }: Surroundings): string[] {
  return record.action === 'restart' ? belonging.leftovers.map(({ container }) => container.uid) : [];
}

/** Also one whose engine is down by now: its evidence would go with it. */
function retiring({ all }: Surroundings, mayGo: ReadonlySet<string>): Retiring[] {
  return [...mayGo].flatMap((uid) => {
    const containers = all.filter(({ container }) => container.uid === uid);
    const [first] = containers;
    if (!first) return [];
    const { number, recipe } = first.container;
    return [{ uid, number, recipe, containers, plan: planIn(containers.map(({ container }) => container)) }];
  });
}
