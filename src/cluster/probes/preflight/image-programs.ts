import { OperatorError } from '../../../errors.ts';
import { dockerReason } from '../../docker-reason.ts';
import { imagePrograms } from '../../docker.ts';
import type { Machine } from '../../machine.ts';
import type { Plan, PlanNode } from '../../plan.ts';

/** Which programs the image lacks, or why that is not known. */
export type ImagePrograms =
  | { state: 'looked'; wanted: readonly string[]; missing: readonly string[] }
  | { state: 'not-started'; reason: string; short?: string }
  | { state: 'unknown'; why: string };

/** Starts a container that ends at once: only inside does the image show what it has. */
export async function readImagePrograms(machine: Machine, plan: Plan): Promise<ImagePrograms> {
  const { node } = machine;
  const wanted = programsOf(node, plan);
  try {
    const { exitCode, stdout, stderr } = await machine.change(imagePrograms(node, plan.realm, wanted));
    if (exitCode !== 0) {
      const { text, short } = dockerReason(stderr, node.name);
      return { state: 'not-started', reason: text, ...(short !== undefined && { short }) };
    }
    const missing = stdout.split('\n').flatMap((line) => /^missing (.+)$/.exec(line)?.[1] ?? []);
    return { state: 'looked', wanted, missing };
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code === 'stale-fence') throw error;
    return { state: 'unknown', why: error.message };
  }
}

function programsOf(node: PlanNode, { serve }: Plan): readonly [string, ...string[]] {
  const { entrypoint } = node.container;
  return node.role === 'head' ? [entrypoint, serve.argv[0], 'python3'] : [entrypoint];
}
