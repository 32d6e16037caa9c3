import { type Check, ok } from './check.ts';

/** A live engine of ours blocks unless people are asked, with or without a record of it: the nodes decide what serves. */
export const servingCheck: Check = {
  name: 'serving',
  judge({ belonging, node, plan, replacing }) {
    const here = belonging.serving.filter((each) => each.node === node.name);
    if (here.length === 0) return undefined;
    const names = here.map(({ recipe, number }) => `${recipe} (#${number})`).join(', ');
    if (replacing) {
      const them = here.length === 1 ? 'it' : 'they';
      return ok(
        `serves ${names}; ${here.length === 1 ? 'is' : 'are'} stopped once that is agreed to, and the rest is judged as if ${them} were gone`,
      );
    }
    return {
      state: 'failed',
      short: `it serves ${names} already`,
      text: `${plan.cluster} serves ${names}`,
      remedy: `Stop it first: stop on ${plan.cluster}`,
    };
  },
};
