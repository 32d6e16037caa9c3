import { listensOn } from '../listeners.ts';
import { type Check, ok } from './check.ts';

/** Judged as if the leftovers were gone: what they hold goes with them. */
export const portsCheck: Check = {
  name: 'ports',
  judge({ belonging, facts, forced, node, plan }) {
    if (node.role !== 'head') return undefined;
    // Its own containers are no finding when a run begins again.
    if (belonging.own.some((each) => each.node === node.name && each.container.running)) return undefined;
    // The row of what serves says it all.
    if (belonging.serving.some((each) => each.node === node.name)) return undefined;
    const wanted = [plan.port, plan.rayPort];
    const taken = wanted.filter((port) => listensOn(facts.listeners, port));
    if (taken.length === 0) return ok(`${wanted.join(' and ')} are free`);

    const { foreign } = facts.others;
    // So does the row of what others run.
    if (!forced.has('foreign') && taken.every((port) => foreign.some(({ ports }) => ports.includes(port)))) return undefined;

    const listed = taken.length === 1 ? `port ${taken[0]} is in use` : `ports ${taken.join(' and ')} are in use`;
    const holders = belonging.leftovers.filter((each) => each.node === node.name && each.container.running);
    if (holders.length > 0) return ok(`${listed} now, judged as if the leftovers were gone`);
    return {
      state: 'failed',
      short: `port ${taken.join(' and ')} on ${node.name} is taken`,
      text: listed,
      remedy: `On ${node.name} see who listens: sudo ss -ltnp. Stop it, or use another port (port=, ray_port).`,
    };
  },
};
