import { type Check, ok } from './check.ts';

export const leftoversCheck: Check = {
  name: 'leftovers',
  judge({ belonging, complete, node }) {
    if (!complete) return undefined;
    const here = belonging.leftovers.filter((each) => each.node === node.name);
    if (here.length === 0) return ok('none');
    const names = here.map(({ container }) => `${container.name} (#${container.number}, ${container.recipe})`);
    return ok(`will be removed: ${names.join(', ')}; no engine lives in ${here.length === 1 ? 'it' : 'them'}`);
  },
};
