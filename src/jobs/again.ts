import type { Plan } from '../cluster/plan.ts';

/**
 * The same plan for a new attempt: its uid stands in names, labels and paths, and nothing else of it changes.
 * `image`: a digest, so that what starts is what served.
 */
export function planAgain(plan: Plan, uid: string, image: string = plan.image): Plan {
  const again = JSON.parse(JSON.stringify(plan).replaceAll(plan.uid, uid)) as Plan;
  const [head, ...workers] = again.nodes;
  const pinned = (node: Plan['nodes'][number]) => ({ ...node, container: { ...node.container, image } });
  return { ...again, image, nodes: [pinned(head), ...workers.map(pinned)], phases: withApproval(again.phases) };
}

/** A plan of before there were approvals has no phase for it. */
function withApproval(phases: Plan['phases']): Plan['phases'] {
  if (phases.includes('approval')) return phases;
  return phases.flatMap((name) => (name === 'preflight' ? [name, 'approval' as const] : [name]));
}
