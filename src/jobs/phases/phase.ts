import type { CheckRow, Finding, Progress } from '../../cluster/finding.ts';
import type { Machine } from '../../cluster/machine.ts';
import type { PhaseName, Plan } from '../../cluster/plan.ts';
import type { Sample } from '../../cluster/probes/engine-state.ts';
import type { Secret } from '../../cluster/remote/secret.ts';
import type { Gate } from '../approval/gate.ts';
import type { Deployment, Found } from '../deployment.ts';

export type Verdict =
  | { state: 'done'; saw: string }
  | { state: 'needed'; saw: string }
  | { state: 'blocked'; finding: Finding }
  /** Waits for people: nothing of this process is held meanwhile. */
  | { state: 'parked' }
  /** What was agreed to no longer says what would happen: nothing was touched. */
  | { state: 'void'; why: string };

export interface PhaseContext {
  plan: Plan;
  /** The deployment's number, for people. */
  number: number;
  /** Head first; same order as plan.nodes. */
  machines: readonly [Machine, ...Machine[]];
  /** Aborted when the run must stop: the phase's limit, a cancel, a lost lease, a hand-over. */
  signal: AbortSignal;
  /** As this run last read or wrote it. */
  readonly record: Deployment;
  /** Aborted by [Stop now]: running requests are not waited for any longer. */
  hurry: AbortSignal;
  /** What the approval phase needs of store and configuration. */
  gate: Gate;
  /** What others may run beside a model, as the cluster's file says now. */
  tolerates: () => Promise<readonly string[]>;
  /** Milliseconds that are left of the phase's limit, now: it may be looked at more than once within it. */
  limitMs: number;
  secret: (name: string) => Secret | undefined;
  /** What looks at an engine have left, oldest first. Never rejects. */
  samplesOf: (uid: string) => Promise<readonly Sample[]>;
  leaveSample: (uid: string, sample: Sample) => Promise<void>;
  /** The next five never reject: a deploy does not fail because Slack or Redis is slow. */
  checks: (rows: readonly CheckRow[]) => Promise<void>;
  note: (level: 'info' | 'warning', text: string, more?: { node?: string; lines?: readonly string[] }) => Promise<void>;
  progress: (progress: Progress) => Promise<void>;
  /** Facts that the record keeps. */
  keep: (facts: {
    imageDigest?: string;
    endpoint?: string;
    smoke?: { ttftMs: number; tokensPerSecond: number };
    found?: readonly Found[];
    checks?: { ok: number; warnings: number };
    /** ISO 8601 UTC. */
    drainUntil?: string;
  }) => Promise<void>;
}

/**
 * A step of a run: the runner calls look, act, look. A check has no act: its look runs once and may wait up to the
 * limit, but ends at once on what waiting can't change. Running a phase twice does no harm. A phase says nothing to Slack.
 */
export interface Phase {
  name: PhaseName;
  look: (ctx: PhaseContext) => Promise<Verdict>;
  act?: (ctx: PhaseContext) => Promise<void>;
  /** Safe after half a run, and twice. Throws unless the effect is gone. */
  undo?: (ctx: PhaseContext) => Promise<void>;
}
