import type { Check } from './check.ts';

/** A live engine of ours blocks, with or without a record of it: the nodes decide what serves. */
export const servingCheck: Check = {
  name: 'serving',
  judge({ belonging, node, plan }) {
    const here = belonging.serving.filter((each) => each.node === node.name);
    if (here.length === 0) return undefined;
    const names = here.map(({ recipe, number }) => `${recipe} (#${number})`).join(', ');
    return {
      state: 'failed',
      short: `it serves ${names} already`,
      text: `${plan.cluster} serves ${names}`,
      remedy: `Stop it first: stop on ${plan.cluster}`,
    };
  },
};
