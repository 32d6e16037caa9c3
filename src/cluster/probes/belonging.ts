import type { OurContainer } from './containers.ts';

export interface OnNode {
  node: string;
  container: OurContainer;
}

/** A deployment, other than the one in hand, whose engine lives. */
interface ServingDeployment {
  uid: string;
  number: number;
  recipe: string;
  /** Where its engine runs. */
  node: string;
}

export interface Belonging {
  own: readonly OnNode[];
  /** Of other deployments, none of which has a live engine. */
  leftovers: readonly OnNode[];
  serving: readonly ServingDeployment[];
}

/**
 * Whose the realm's containers are, over all nodes at once: a worker's container has no engine process of its own, it
 * belongs to what serves on the head. `uid` is the deployment in hand.
 */
export function sortContainers(all: readonly OnNode[], uid: string): Belonging {
  const others = all.filter(({ container }) => container.uid !== uid);
  const engines = others.filter(({ container }) => container.engine !== 'none' && namesEngineOf(container, others));
  const serving = engines.map(({ node, container }) => ({
    uid: container.uid,
    number: container.number,
    recipe: container.recipe,
    node,
  }));
  const live = new Set(serving.map((each) => each.uid));
  return {
    own: all.filter(({ container }) => container.uid === uid),
    leftovers: others.filter(({ container }) => !live.has(container.uid)),
    serving,
  };
}

/** Of two containers that can't say whether an engine lives in them, one is enough to name. */
function namesEngineOf(container: OurContainer, others: readonly OnNode[]): boolean {
  const same = others.filter((other) => other.container.uid === container.uid && other.container.engine !== 'none');
  const alive = same.find((other) => other.container.engine === 'alive') ?? same[0];
  return alive?.container === container;
}
