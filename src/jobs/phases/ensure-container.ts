import { dockerReason, dockerWords } from '../../cluster/docker-reason.ts';
import { containerLogs, envFile, removeContainers, startContainer } from '../../cluster/docker.ts';
import type { Machine } from '../../cluster/machine.ts';
import type { PlanNode } from '../../cluster/plan.ts';
import { Secret } from '../../cluster/remote/secret.ts';
import { OperatorError } from '../../errors.ts';
import { ownContainer } from './look-around.ts';
import type { PhaseContext } from './phase.ts';

/** Starts the node's container; one that runs already is adopted, one that has ended is replaced. */
export async function ensureContainer(ctx: PhaseContext, machine: Machine): Promise<void> {
  const { node } = machine;
  const command = startContainer(node, ctx.number);
  const stdin = secretsOf(ctx, node);
  let result = await machine.change(command, { stdin });
  if (result.exitCode !== 0 && /Conflict\./.test(result.stderr)) {
    const own = await ownContainer(machine, ctx.plan);
    if (own?.running) return;
    // One of that name which isn't ours is never touched: the second try says that it is there.
    if (own) await machine.change(removeContainers([node.container.name]));
    result = await machine.change(command, { stdin });
  }
  if (result.exitCode === 0) return;
  const { text, short = `${node.name}: no container` } = dockerReason(result.stderr, node.name);
  throw new OperatorError('command-failed', `${node.name} could not start its container: ${text}.`, {
    hint: `Does the image fit (${node.container.image})? sparkops plan prints the docker command, to be tried by hand.`,
    lines: dockerWords(result.stderr).slice(-15),
    node: node.name,
    short,
  });
}

/** The last lines of a container's output, oldest first. Never rejects on what Docker says. */
export async function lastWords(machine: Machine, lines = 12): Promise<string[]> {
  const { stdout, stderr } = await machine.read(containerLogs(machine.node.container.name, lines));
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lines);
}

function secretsOf({ secret, plan }: PhaseContext, node: PlanNode): Secret {
  const values = Object.entries(node.secrets).map(([variable, name]) => {
    const value = secret(name);
    if (value) return [variable, value.reveal()] as const;
    throw new OperatorError(
      'config',
      `Recipe ${plan.recipe} needs the secret ${name} (for ${variable}), which is not known.`,
      {
        hint: `Put ${name} into the environment of sparkops, then deploy again.`,
      },
    );
  });
  return new Secret(envFile(Object.fromEntries(values)));
}
