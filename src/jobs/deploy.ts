import type { Deployment, PhaseName } from './deployment.ts';
import type { Phase } from './phases/phase.ts';

/** Every phase there is, by name. */
export type PhaseTable = Readonly<Record<PhaseName, Phase>>;

/** Which phases a run has, in which order: those of the engine's plan, or the one of a stop. */
export function phasesOf(table: PhaseTable, { run, plan }: Deployment): readonly Phase[] {
  return run === 'stop' ? [table.approval, table.stop] : plan.phases.map((name) => table[name]);
}
