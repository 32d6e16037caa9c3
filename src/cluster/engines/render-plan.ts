import { OperatorError } from '../../errors.ts';
import type { Plan } from '../plan.ts';
import type { PlanRequest } from './plan-request.ts';
import { renderVllmRay } from './vllm-ray.ts';

/** Recipe x cluster, everything rendered, nothing done. Throws OperatorError 'config' for what can't work there. */
export function renderPlan(request: PlanRequest): Plan {
  const { runtime, name } = request.recipe;
  switch (runtime) {
    case 'vllm-ray':
      return renderVllmRay(request);
    case 'vllm-distributed':
    case 'sglang':
    case 'llama-cpp':
    case 'trtllm':
    case 'atlas':
      throw new OperatorError('config', `Recipe ${name} needs the engine ${runtime}, which is not built yet.`, {
        hint: 'Only vllm-ray is. Recipes that run vLLM over Ray have runtime: vllm-ray.',
      });
  }
}
