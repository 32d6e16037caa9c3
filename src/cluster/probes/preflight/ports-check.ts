import { listensOn } from '../listeners.ts';
import { type Check, ok } from './check.ts';

/** Judged as if the leftovers were gone, and what may be stopped: what they hold goes with them. */
export const portsCheck: Check = {
  name: 'ports',
  judge({ belonging, facts, forced, node, plan, replacing, servingPorts }) {
    if (node.role !== 'head') return undefined;
    // Its own containers are no finding when a run begins again.
    if (belonging.own.some((each) => each.node === node.name && each.container.running)) return undefined;
    const serves = belonging.serving.some((each) => each.node === node.name);
    // The row of what serves says it all.
    if (serves && !replacing) return undefined;
    const wanted = [plan.port, plan.rayPort];
    const open = wanted.filter((port) => listensOn(facts.listeners, port));
    if (open.length === 0) return ok(`${wanted.join(' and ')} are free`);
    const taken = serves ? open.filter((port) => servingPorts?.includes(port) === false) : open;
    if (taken.length === 0) return ok(`${listOf(open)} now, judged as if what serves were gone`);

    const { foreign } = facts.others;
    // So does the row of what others run.
    if (!forced.has('foreign') && taken.every((port) => foreign.some(({ ports }) => ports.includes(port))))
      return undefined;

    const listed = listOf(taken);
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

function listOf(ports: readonly number[]): string {
  return ports.length === 1 ? `port ${ports[0]} is in use` : `ports ${ports.join(' and ')} are in use`;
}
