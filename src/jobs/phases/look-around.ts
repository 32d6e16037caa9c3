import { containerProcesses } from '../../cluster/docker.ts';
import { type Belonging, type OnNode, sortContainers } from '../../cluster/probes/belonging.ts';
import { lookAtContainers, type OurContainer, type Survivor } from '../../cluster/probes/containers.ts';
import type { Machine } from '../../cluster/machine.ts';
import { onEach } from './on-each.ts';
import type { PhaseContext } from './phase.ts';

export interface Surroundings {
  /** The realm's containers on all nodes, and whose they are. */
  all: readonly OnNode[];
  belonging: Belonging;
  /** What listens on the head. */
  headListeners: readonly string[];
  /** Processes of containers that are gone. */
  survivors: readonly (Survivor & { node: string })[];
}

/**
 * One command a node. Rejects unless every node answers: without one of them nobody knows whose a container is.
 * `records`: with the deployment.json of what serves.
 */
export async function lookAround(
  { machines, plan }: Pick<PhaseContext, 'machines' | 'plan'>,
  { records = false }: { records?: boolean } = {},
): Promise<Surroundings> {
  const looks = await onEach(machines, async (machine) => ({
    node: machine.node.name,
    ...(await lookAtContainers(machine, { realm: plan.realm, records })),
  }));
  const all = looks.flatMap(({ node, containers }) => containers.map((container) => ({ node, container })));
  const survivors = looks.flatMap((look) =>
    look.survivors
      .filter(({ uid }) => look.containers.every((container) => container.uid !== uid))
      .map((survivor) => ({ ...survivor, node: look.node })),
  );
  return { all, belonging: sortContainers(all, plan.uid), headListeners: looks[0]?.listeners ?? [], survivors };
}

/** The deployment's own container on a node, whichever process of ours started it. */
export async function ownContainer(machine: Machine, { realm }: { realm: string }): Promise<OurContainer | undefined> {
  const { containers } = await lookAtContainers(machine, { realm });
  return containers.find(({ name }) => name === machine.node.container.name);
}

/** Undefined: its container runs. For asking again and again: as long as it runs, a whole look would cost the node more. */
export async function endedContainer(
  machine: Machine,
  plan: { realm: string },
): Promise<{ own: OurContainer | undefined } | undefined> {
  const { exitCode } = await machine.read(containerProcesses(machine.node.container.name));
  if (exitCode === 0) return undefined;
  const own = await ownContainer(machine, plan);
  return own?.running ? undefined : { own };
}
