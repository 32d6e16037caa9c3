import { dockerReason, dockerWords } from '../../cluster/docker-reason.ts';
import { containerLogs, envFile, removeContainers, startContainer } from '../../cluster/docker.ts';
import { withoutPrompts } from '../../cluster/logs/without-prompts.ts';
import type { Machine } from '../../cluster/machine.ts';
import type { PlanNode } from '../../cluster/plan.ts';
import { Secret } from '../../cluster/remote/secret.ts';
import { OperatorError } from '../../errors.ts';
import { ownContainer } from './look-around.ts';
import type { PhaseContext } from './phase.ts';

/** A file of one line. */
export interface NodeFile {
  path: string;
  text: string;
}

/**
 * Writes the files and starts the node's container, in one command; one that runs already is adopted, one that has
 * ended is replaced. Nothing runs before the files stand.
 */
export async function ensureContainer(
  ctx: PhaseContext,
  machine: Machine,
  files: readonly NodeFile[] = [],
): Promise<void> {
  const { node } = machine;
  const paths = files.map(({ path }) => path);
  const command = startContainer(node, ctx.number, paths);
  const stdin = new Secret(files.map(({ text }) => text).join('') + envFile(secretsOf(ctx, node)));
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
  return withoutPrompts(`${stdout}${stderr}`.split('\n'))
    .filter((line) => line.trim() !== '')
    .slice(-lines);
}

function secretsOf({ secret, plan }: PhaseContext, node: PlanNode): Record<string, string> {
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
  return Object.fromEntries(values);
}
