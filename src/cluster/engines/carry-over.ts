import type { PlanNode } from '../plan.ts';

/** Names a variable of the head's; vLLM reads the file of exclusions in the folder it names. */
const CONFIG_ROOT = 'VLLM_CONFIG_ROOT';

/**
 * vLLM's Ray executor copies VLLM_*, NCCL_*, UCX_* and HF_* from the head to the workers, over what they have. Where
 * nodes differ in such a variable (interfaces with other names, other folders), the head gets a file that excludes it.
 * VLLM_HOST_IP is never copied.
 */
export function withCarryOver(nodes: readonly [PlanNode, ...PlanNode[]]): readonly [PlanNode, ...PlanNode[]] {
  const [head, ...workers] = nodes;
  if (keptPerNode(nodes).length === 0) return nodes;
  return [{ ...head, env: { ...head.env, [CONFIG_ROOT]: `${head.paths.run}/vllm` } }, ...workers];
}

/** The file of exclusions and what goes into it, if the plan needs one. */
export function carryOverFile(nodes: readonly [PlanNode, ...PlanNode[]]): { path: string; text: string } | undefined {
  const root = nodes[0].env[CONFIG_ROOT];
  const names = keptPerNode(nodes);
  if (root === undefined || names.length === 0) return undefined;
  return { path: `${root}/ray_non_carry_over_env_vars.json`, text: `${JSON.stringify(names)}\n` };
}

function keptPerNode([head, ...workers]: readonly [PlanNode, ...PlanNode[]]): string[] {
  return Object.keys(head.env)
    .filter((name) => /^(VLLM|NCCL|UCX|HF)_/.test(name) && name !== 'VLLM_HOST_IP')
    .filter((name) => workers.some((worker) => worker.env[name] !== head.env[name]))
    .toSorted();
}
