import type { CheckRow, Progress } from '../../src/cluster/finding.ts';
import type { PhaseName, Plan } from '../../src/cluster/plan.ts';
import { openMachines } from '../../src/cluster/remote/machines.ts';
import { raiseAll } from '../../src/cluster/remote/raise-all.ts';
import type { Transport } from '../../src/cluster/remote/transport.ts';
import { PHASES } from '../../src/jobs/phases/all.ts';
import type { PhaseContext, Verdict } from '../../src/jobs/phases/phase.ts';

export interface DeployByHand {
  ctx: PhaseContext;
  rows: CheckRow[];
  progress: Progress[];
  kept: Record<string, unknown>;
  /** Look, act, look: as a run does it. */
  phase: (name: PhaseName) => Promise<Verdict>;
}

/** Raises the fences; the phases are then run by the test. */
export async function deployByHand(given: {
  plan: Plan;
  transport: Transport;
  number: number;
  signal: AbortSignal;
}): Promise<DeployByHand> {
  const { plan, transport, number, signal } = given;
  const grip = { realm: plan.realm, fence: number, token: `token-${number}` };
  const about = { number, recipe: plan.recipe, by: 'Operator', since: new Date().toISOString() };
  const raised = await raiseAll({ plan, transport, grip, about, signal });
  const rows: CheckRow[] = [];
  const progress: Progress[] = [];
  const kept: Record<string, unknown> = {};
  const ctx: PhaseContext = {
    plan,
    number,
    machines: openMachines({
      plan,
      transport,
      grip: () => Promise.resolve(grip),
      signal,
      ...(raised.ok && { raiseProblems: raised.problems }),
    }),
    signal,
    limitMs: 0,
    secret: () => undefined,
    checks: async (more) => void rows.push(...more),
    note: async () => undefined,
    progress: async (value) => void progress.push(value),
    keep: async (facts) => void Object.assign(kept, facts),
  };

  async function phase(name: PhaseName): Promise<Verdict> {
    const { look, act } = PHASES[name];
    const own = { ...ctx, limitMs: plan.limits.phases[name] };
    const verdict = await look(own);
    if (verdict.state !== 'needed' || !act) return verdict;
    await act(own);
    return look(own);
  }

  return { ctx, rows, progress, kept, phase };
}
