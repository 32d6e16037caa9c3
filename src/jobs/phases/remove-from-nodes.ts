import { removeContainers } from '../../cluster/docker.ts';
import type { Machine } from '../../cluster/machine.ts';
import { OperatorError } from '../../errors.ts';
import { ownContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { PhaseContext } from './phase.ts';

/**
 * Containers by name, per node. Head before workers: the engine's processes on the workers end with it, instead of
 * reporting a lost head. What is gone already does no harm.
 */
export async function removeFromNodes(
  { machines }: PhaseContext,
  names: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const [head, ...workers] = machines;
  const remove = (machine: Machine) => removeFrom(machine, names.get(machine.node.name) ?? []);
  await remove(head);
  await onEach(workers, remove);
}

/** Safe when there is none. Throws unless it can be seen to be gone. */
export async function removeOwn(ctx: PhaseContext, machine: Machine): Promise<void> {
  const { name, container } = machine.node;
  await removeFrom(machine, [container.name]);
  if (!(await ownContainer(machine, ctx.plan))) return;
  throw new OperatorError('command-failed', `${container.name} is still on ${name}.`, {
    hint: `On ${name}: docker rm --force ${container.name}`,
    node: name,
  });
}

async function removeFrom(machine: Machine, [first, ...others]: readonly string[]): Promise<void> {
  if (first === undefined) return;
  const { exitCode, stderr } = await machine.change(removeContainers([first, ...others]));
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/no such container/i.test(line));
  if (exitCode === 0 || lines.length === 0) return;
  const { name } = machine.node;
  throw new OperatorError('command-failed', `Containers on ${name} could not be removed.`, {
    hint: `On ${name}: docker rm --force ${[first, ...others].join(' ')}`,
    lines,
    node: name,
  });
}
