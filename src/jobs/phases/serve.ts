import { startServe } from '../../cluster/docker.ts';
import type { OurContainer } from '../../cluster/probes/containers.ts';
import { OperatorError } from '../../errors.ts';
import { endedFinding, endOf } from './engine-end.ts';
import { ownContainer } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { removeOwn } from './remove-from-nodes.ts';

/** Starts the engine, detached, in the head's container. Alive: its process, in the very start of the container that it was started in. */
export const serve: Phase = {
  name: 'serve',
  look,

  async act({ machines: [head], plan }) {
    const { exitCode, stderr } = await head.change(startServe(head.node, plan.serve.argv));
    if (exitCode === 0) return;
    const lines = stderr.trim().split('\n').slice(-15);
    throw new OperatorError(
      'command-failed',
      `The engine could not be started on ${head.node.name}: ${lines.at(-1) ?? ''}`,
      {
        hint: `Does the image have python3? On ${head.node.name}: docker run --rm --entrypoint python3 ${head.node.container.image} --version`,
        lines,
        node: head.node.name,
        short: `no start of the engine on ${head.node.name}`,
      },
    );
  },

  // It lives in the head's container: it goes first, before its workers do.
  undo: (ctx) => removeOwn(ctx, ctx.machines[0]),
};

async function look(ctx: PhaseContext): Promise<Verdict> {
  const [head] = ctx.machines;
  const own = await ownContainer(head, ctx.plan);
  if (!own || !own.running) return { state: 'blocked', finding: await endedFinding(ctx, endOf(own)) };
  if (own.engine === 'unknown') {
    throw new OperatorError('outcome-unknown', `${head.node.name} can't list the processes of ${own.name}.`, {
      hint: `On ${head.node.name}: docker top ${own.name}`,
      node: head.node.name,
    });
  }
  if (own.engine === 'alive') {
    return ofThisStart(own)
      ? { state: 'done', saw: `the engine runs in ${own.name}` }
      : { state: 'needed', saw: 'the engine runs, but its start is not recorded' };
  }
  if (ofThisStart(own) || (own.serveExit !== undefined && !own.serveStarted)) {
    return { state: 'blocked', finding: await endedFinding(ctx, endOf(own)) };
  }
  return { state: 'needed', saw: 'no engine runs' };
}

function ofThisStart({ id, startedAt, serveStarted }: OurContainer): boolean {
  return serveStarted?.id === id && serveStarted.startedAt === startedAt;
}
