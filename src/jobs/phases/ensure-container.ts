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
    await machine.change(removeContainers([node.container.name]));
    result = await machine.change(command, { stdin });
  }
  if (result.exitCode === 0) return;
  const lines = result.stderr.trim().split('\n');
  // Around the reason Docker says how to get help.
  const reason = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '';
  throw new OperatorError(
    'command-failed',
    `${node.name} could not start its container: ${reason.replace(/^docker: /, '').replace(/^Error response from daemon: /, '')}`,
    {
      hint: 'sparkops plan prints the docker command, to be tried by hand.',
      lines: lines.slice(-15),
      node: node.name,
    },
  );
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
