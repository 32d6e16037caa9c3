import { ensureContainer } from './ensure-container.ts';
import { ownContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { Phase } from './phase.ts';
import { removeOwn } from './remove-from-nodes.ts';

/** Done when the containers run; whether Ray has them is for verify-ray to see. */
export const startWorkers: Phase = {
  name: 'start-workers',

  async look({ machines: [, ...workers], plan }) {
    const found = await onEach(workers, async (machine) => ({
      name: machine.node.name,
      own: await ownContainer(machine, plan),
    }));
    const lacking = found.flatMap(({ name, own }) => {
      if (own?.running) return [];
      return [own ? `${own.name} ended with code ${own.exitCode}` : `no container on ${name}`];
    });
    return lacking.length > 0
      ? { state: 'needed', saw: lacking.join(', ') }
      : { state: 'done', saw: `containers run on ${found.map(({ name }) => name).join(', ')}` };
  },

  async act(ctx) {
    const [, ...workers] = ctx.machines;
    await onEach(workers, (worker) => ensureContainer(ctx, worker));
  },

  async undo(ctx) {
    const [, ...workers] = ctx.machines;
    await onEach(workers, (worker) => removeOwn(ctx, worker));
  },
};
