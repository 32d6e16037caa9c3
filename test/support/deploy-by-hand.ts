import type { CheckRow, Progress } from '../../src/cluster/finding.ts';
import type { PhaseName, Plan } from '../../src/cluster/plan.ts';
import { openMachines } from '../../src/cluster/remote/machines.ts';
import { raiseAll } from '../../src/cluster/remote/raise-all.ts';
import type { Transport } from '../../src/cluster/remote/transport.ts';
import type { Sample } from '../../src/cluster/probes/engine-state.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';
import { PHASES } from '../../src/jobs/phases/all.ts';
import type { PhaseContext, Verdict } from '../../src/jobs/phases/phase.ts';
import { openGate, recordOf } from './open-gate.ts';

export interface DeployByHand {
  ctx: PhaseContext;
  rows: CheckRow[];
  progress: Progress[];
  kept: Record<string, unknown>;
  /** "LEVEL: TEXT" */
  notes: string[];
  /** What looks at engines have left, by uid. */
  samples: Record<string, Sample[]>;
  /** Look, act, look: as a run does it. */
  phase: (name: PhaseName) => Promise<Verdict>;
}

/** Raises the fences; the phases are then run by the test. */
export async function deployByHand(given: {
  plan: Plan;
  transport: Transport;
  number: number;
  signal: AbortSignal;
  record?: Partial<Deployment>;
  hurry?: AbortSignal;
}): Promise<DeployByHand> {
  const { plan, transport, number, signal } = given;
  const grip = { realm: plan.realm, fence: number, token: `token-${number}` };
  const run = given.record?.run ?? 'deploy';
  const about = { number, run, recipe: plan.recipe, by: 'Operator', since: new Date().toISOString() };
  const raised = await raiseAll({ plan, transport, grip, about, signal });
  const rows: CheckRow[] = [];
  const progress: Progress[] = [];
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  const samples: Record<string, Sample[]> = {};
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
    note: async (level, text) => void notes.push(`${level}: ${text}`),
    record: { ...recordOf(plan, number), ...given.record },
    hurry: given.hurry ?? new AbortController().signal,
    gate: openGate(),
    tolerates: () => Promise.resolve([]),
    samplesOf: async (uid) => samples[uid] ?? [],
    leaveSample: async (uid, sample) => void (samples[uid] ??= []).push(sample),
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

  return { ctx, rows, progress, kept, notes, samples, phase };
}
