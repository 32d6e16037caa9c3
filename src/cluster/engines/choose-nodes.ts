import type { Node } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import type { PlanRequest } from './plan-request.ts';

/** The head and as many workers as there are GPUs to fill, one a node, in the order of the cluster's file. */
export function chooseNodes(
  gpus: number,
  { cluster, recipe }: Pick<PlanRequest, 'cluster' | 'recipe'>,
): [Node, ...Node[]] {
  const [only, ...others] = cluster.nodes;
  const head = cluster.nodes.find((node) => node.role === 'head') ?? (others.length === 0 ? only : undefined);
  if (!head) {
    throw new OperatorError('config', `Cluster ${cluster.name} has no head.`, {
      hint: `Give one node of clusters/${cluster.name}.yaml the line "role: head".`,
    });
  }
  const nodes: [Node, ...Node[]] = [head, ...cluster.nodes.filter((node) => node !== head)];
  const has = `${cluster.name} has ${count(nodes.length, 'node')} with one GPU each`;
  if (gpus > nodes.length) {
    throw new OperatorError('config', `${recipe.name} needs ${gpus} GPUs, but ${has}.`, {
      hint: 'Make tensor_parallel x pipeline_parallel smaller, or choose a larger cluster.',
    });
  }
  if (recipe.minNodes > nodes.length) {
    throw new OperatorError('config', `${recipe.name} needs at least ${recipe.minNodes} nodes, but ${has}.`, {
      hint: 'Choose a larger cluster, or a recipe for fewer nodes.',
    });
  }
  if (gpus < recipe.minNodes || gpus > (recipe.maxNodes ?? gpus)) {
    const wanted = gpus < recipe.minNodes ? `at least ${recipe.minNodes}` : `at most ${recipe.maxNodes}`;
    throw new OperatorError(
      'config',
      `${recipe.name} is for ${wanted} nodes, but tensor_parallel x pipeline_parallel is ${gpus}, one node each.`,
      { hint: `Set tensor_parallel x pipeline_parallel to ${wanted}.` },
    );
  }
  return [head, ...nodes.slice(1, gpus)];
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
