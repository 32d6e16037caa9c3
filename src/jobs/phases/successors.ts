import { lookAtForeign } from '../../cluster/probes/look-at-foreign.ts';
import { onEach } from './on-each.ts';
import type { PhaseContext } from './phase.ts';

/** "vllm_node on spark1": others' containers that by now have the name of one that the record is to stop. */
export async function successors({
  machines,
  plan: { realm },
  record,
}: Pick<PhaseContext, 'machines' | 'plan' | 'record'>): Promise<readonly string[]> {
  const targets = (record.foreign ?? []).filter(({ kind }) => kind === 'container');
  const looks = await onEach(machines, (machine) => lookAtForeign(machine, { realm, ids: [] }));
  return looks
    .flatMap(({ foreign }) => foreign)
    .filter((one) => targets.some(({ node, name, id }) => one.node === node && one.name === name && one.id !== id))
    .map(({ node, name }) => `${name} on ${node}`);
}
