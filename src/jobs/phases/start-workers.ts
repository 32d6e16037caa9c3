import { ensureContainer } from './ensure-container.ts';
import { endedContainer, ownContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { Phase } from './phase.ts';
import { answersText, gcsOf, rayAnswers, waitForRay } from './ray-head.ts';
import { removeOwn } from './remove-from-nodes.ts';

/** Done when the containers run and Ray's head answers where they are; whether Ray has them is for verify-ray to see. */
export const startWorkers: Phase = {
  name: 'start-workers',

  async look(ctx) {
    const [, ...workers] = ctx.machines;
    const found = await onEach(workers, async (machine) => ({
      name: machine.node.name,
      own: await ownContainer(machine, ctx.plan),
    }));
    const lacking = found.flatMap(({ name, own }) => {
      if (own?.running) return [];
      return [own ? `${own.name} ended with code ${own.exitCode}` : `no container on ${name}`];
    });
    if (lacking.length > 0) return { state: 'needed', saw: lacking.join(', ') };
    return (await rayAnswers(ctx))
      ? { state: 'done', saw: answersText(ctx) }
      : { state: 'needed', saw: `containers run, but Ray does not answer at ${gcsOf(ctx)}` };
  },

  async act(ctx) {
    const [, ...workers] = ctx.machines;
    await onEach(workers, (worker) => ensureContainer(ctx, worker));
    // They wait for Ray's head by themselves, but not for as long as this phase may.
    await waitForRay(ctx);
    await onEach(workers, async (worker) => {
      if (await endedContainer(worker, ctx.plan)) await ensureContainer(ctx, worker);
    });
  },

  async undo(ctx) {
    const [, ...workers] = ctx.machines;
    await onEach(workers, (worker) => removeOwn(ctx, worker));
  },
};
