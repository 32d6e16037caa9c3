import type { Duplex } from 'node:stream';
import type { CheckRow, Finding, Progress } from '../../src/cluster/finding.ts';
import type { Plan } from '../../src/cluster/plan.ts';
import { openMachines } from '../../src/cluster/remote/machines.ts';
import { Secret } from '../../src/cluster/remote/secret.ts';
import type { Sample } from '../../src/cluster/probes/engine-state.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';
import type { Phase, PhaseContext, Verdict } from '../../src/jobs/phases/phase.ts';
import { type FakeScript, type FakeTransport, fakeTransport } from './fake-transport.ts';
import { openGate, recordOf } from './open-gate.ts';

type Dial = (node: string, target: { host: string; port: number }) => Promise<Duplex>;

export interface FakeMachines {
  machines: PhaseContext['machines'];
  transport: FakeTransport;
}

/** The real machines of a plan on a transport whose answers the test scripts. */
export function fakeMachines(
  plan: Plan,
  script: FakeScript,
  {
    dial,
    signal,
    raiseProblems,
  }: { dial?: Dial; signal?: AbortSignal; raiseProblems?: ReadonlyMap<string, Finding> } = {},
): FakeMachines {
  const transport = fakeTransport(script, dial);
  const machines = openMachines({
    plan,
    transport,
    grip: () => Promise.resolve({ realm: plan.realm, fence: 7, token: 'token' }),
    signal: signal ?? AbortSignal.timeout(10_000),
    ...(raiseProblems && { raiseProblems }),
  });
  return { machines, transport };
}

export interface FakeRun extends FakeMachines {
  ctx: PhaseContext;
  rows: CheckRow[];
  progress: Progress[];
  kept: Record<string, unknown>;
  notes: string[];
  samples: Sample[];
  /** "node: text" of the changing commands, without their guard. */
  changes: () => string[];
  /** Look, act, look: as a run does it. */
  go: (phase: Phase) => Promise<Verdict>;
}

export function fakeRun(
  plan: Plan,
  script: FakeScript,
  options: Parameters<typeof fakeMachines>[2] & {
    limitMs?: number;
    secrets?: Record<string, string>;
    record?: Partial<Deployment>;
    hurry?: AbortSignal;
  } = {},
): FakeRun {
  const { machines, transport } = fakeMachines(plan, script, options);
  const rows: CheckRow[] = [];
  const progress: Progress[] = [];
  const kept: Record<string, unknown> = {};
  const notes: string[] = [];
  const samples: Sample[] = [];
  const ctx: PhaseContext = {
    plan,
    number: 142,
    machines,
    signal: options.signal ?? AbortSignal.timeout(10_000),
    limitMs: options.limitMs ?? 5_000,
    secret: (name) => {
      const value = options.secrets?.[name];
      return value === undefined ? undefined : new Secret(value);
    },
    checks: async (more) => void rows.push(...more),
    note: async (level, text) => void notes.push(`${level}: ${text}`),
    record: { ...recordOf(plan, 142), ...options.record },
    hurry: options.hurry ?? new AbortController().signal,
    gate: openGate(),
    tolerates: () => Promise.resolve([]),
    samplesOf: () => Promise.resolve(samples),
    leaveSample: async (_uid, sample) => void samples.push(sample),
    progress: async (value) => void progress.push(value),
    keep: async (facts) => void Object.assign(kept, facts),
  };
  return {
    ctx,
    machines,
    transport,
    rows,
    progress,
    kept,
    notes,
    samples,
    changes: () =>
      transport.calls.flatMap(({ node, text }) => {
        const own = /^flock .*? -- timeout -k 5 60 (.*)$/s.exec(text)?.[1];
        return own === undefined ? [] : [`${node}: ${own.replace(/sh \S*\/programs-[0-9a-f]+\//, '')}`];
      }),
    async go({ look, act }) {
      const verdict = await look(ctx);
      if (verdict.state !== 'needed' || !act) return verdict;
      await act(ctx);
      return look(ctx);
    },
  };
}
