import { saveEvidence } from '../../cluster/evidence.ts';
import { endEngine } from '../../cluster/docker.ts';
import type { Machine } from '../../cluster/machine.ts';
import type { Plan } from '../../cluster/plan.ts';
import type { OnNode } from '../../cluster/probes/belonging.ts';
import { askMetrics } from '../../cluster/probes/ask-metrics.ts';
import { engineHttp } from '../../cluster/probes/engine-http.ts';
import { engineState, sampleOf, type EngineState } from '../../cluster/probes/engine-state.ts';
import { gpuWatts } from '../../cluster/probes/gpu-text.ts';
import { run } from '../../cluster/remote/command.ts';
import type { Http } from '../../cluster/remote/http.ts';
import { OperatorError } from '../../errors.ts';
import { drain, requests, type Drained } from './drain.ts';
import { onEach } from './on-each.ts';
import type { PhaseContext } from './phase.ts';
import { removeFromNodes } from './remove-from-nodes.ts';

/** A deployment that is to go, with its containers as the last look showed them. */
export interface Retiring {
  uid: string;
  number: number;
  recipe: string;
  containers: readonly OnNode[];
  /** Undefined: nobody knows where its engine listens. */
  plan: Plan | undefined;
}

/** An engine that was asked to end gets this long, then its container is removed all the same. */
const END_SECONDS = 10;
const DRAIN_MS = 60_000;
/** What removing takes, at most, of the phase's limit. */
const REMOVAL_MS = 30_000;
/** A deadline of an earlier process says that it has saved the evidence. One this old is of nobody who still waits. */
const OLD_MS = 300_000;

/**
 * Stops what serves: saves the evidence, waits for running requests, ends the engine, removes head before workers.
 * Whether it is gone the caller's look tells. A run that was taken over goes on where it was.
 */
export async function retire(ctx: PhaseContext, all: readonly Retiring[]): Promise<void> {
  const until = deadlineBefore(ctx);
  if (until === undefined) await Promise.all(all.map((one) => keepEvidence(ctx, one)));
  await drainAll(ctx, all, until);
  await Promise.all(all.map((one) => endEngines(ctx, one)));
  await removeFromNodes(ctx, namesByNode(ctx, all));
}

function deadlineBefore({ record }: PhaseContext): number | undefined {
  const until = record.drainUntil === undefined ? NaN : Date.parse(record.drainUntil);
  return Date.now() - until < OLD_MS ? until : undefined;
}

/** Never keeps the stop from going on: without evidence it is poorer, but it was asked for. */
async function keepEvidence(ctx: PhaseContext, one: Retiring): Promise<void> {
  const { machines, signal } = ctx;
  const [head] = machines;
  const { uid, containers } = one;
  const names = new Map(containers.map(({ node, container }) => [node, container.name]));
  try {
    const request = { machines, uid, containers: names, http: httpTo(head, one), signal, now: new Date() };
    const { folder, missing } = await saveEvidence(request);
    const without = missing.length === 0 ? '' : ` Missing: ${missing.join(', ')}.`;
    await ctx.note('info', `Evidence of ${named(one)} lies on ${head.node.name} in ${folder}.${without}`, {
      node: head.node.name,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError) || error.code === 'stale-fence') throw error;
    await ctx.note('warning', `No evidence of ${named(one)} was saved: ${error.message} It is stopped all the same.`, {
      lines: error.lines,
    });
  }
}

async function drainAll(ctx: PhaseContext, all: readonly Retiring[], before: number | undefined): Promise<void> {
  const [head] = ctx.machines;
  const { drainMs = DRAIN_MS } = ctx.plan.limits;
  // Less than the limit leaves, so that it is also removed within it.
  const most = Math.max(0, ctx.limitMs - Math.min(REMOVAL_MS, ctx.limitMs / 2));
  const until = before ?? Date.now() + Math.min(drainMs, most);
  // Kept also when nothing is waited for: it says that the evidence is saved.
  if (before === undefined) await ctx.keep({ drainUntil: new Date(until).toISOString() });
  const engines = await Promise.all(
    all.map(async (one) => {
      const http = httpTo(head, one);
      const state = await stateOf(ctx, one, http);
      // What is down or wedged serves nobody: there is nothing to wait for.
      if (state === 'down' || state === 'wedged') return [];
      if (http) return [{ uid: one.uid, http }];
      await ctx.note('warning', UNKNOWN);
      return [];
    }),
  );
  const answering = engines.flat();
  if (answering.length === 0) return;
  const said = cutOff(await drain(ctx, answering, until));
  if (said !== undefined) await ctx.note('warning', said);
}

const UNKNOWN = 'The engine does not say whether requests run, so they are not waited for.';

async function stateOf(ctx: PhaseContext, { uid, containers }: Retiring, http: Http | undefined): Promise<EngineState> {
  const [head] = ctx.machines;
  const own = containers.find(({ node }) => node === head.node.name)?.container;
  if (!own || own.engine === 'none') return 'down';
  if (!http) return 'unknown';
  const [metrics, gpu] = await Promise.all([
    askMetrics(http, { signal: ctx.signal, limitMs: 2_000 }),
    head.read(run('nvidia-smi', `--query-gpu=${GPU_FIELDS}`, '--format=csv,noheader,nounits')),
  ]);
  const sample = metrics && sampleOf(metrics, gpu.exitCode === 0 ? gpuWatts(gpu.stdout) : undefined, Date.now());
  if (sample) await ctx.leaveSample(uid, sample);
  const before = await ctx.samplesOf(uid);
  return engineState(sample ? [...before.filter(({ at }) => at < sample.at), sample] : before, Date.now());
}

/** As status.sh asks. */
const GPU_FIELDS = 'name,driver_version,power.draw,temperature.gpu,utilization.gpu';

function cutOff({ end, left }: Drained): string | undefined {
  switch (end) {
    case 'idle':
      return undefined;
    case 'late':
      return `${requests(left)} did not end in time and ${left === 1 ? 'is' : 'are'} cut off.`;
    case 'hurried':
      return `${requests(left)} ${left === 1 ? 'is' : 'are'} cut off, as asked.`;
    case 'silent':
      return UNKNOWN;
  }
}

/** On all nodes at once: also what a worker's container holds must be known to be gone. */
async function endEngines({ machines }: PhaseContext, { uid, containers }: Retiring): Promise<void> {
  const here = containers.filter(({ container }) => container.running);
  await onEach(machines, async (machine) => {
    const { name, paths } = machine.node;
    const own = here.find(({ node }) => node === name)?.container.name;
    if (own === undefined) return;
    await machine.change(endEngine(machine.node, own, { run: `${paths.state}/runs/${uid}`, seconds: END_SECONDS }));
  });
}

function namesByNode({ machines }: PhaseContext, all: readonly Retiring[]): Map<string, string[]> {
  const containers = all.flatMap((one) => one.containers);
  const on = (name: string) => containers.filter(({ node }) => node === name).map(({ container }) => container.name);
  return new Map(machines.map(({ node }) => [node.name, on(node.name)]));
}

function httpTo(head: Machine, { plan }: Retiring): Http | undefined {
  return plan && engineHttp(head, plan);
}

function named({ recipe, number }: Retiring): string {
  return `${recipe} (#${number})`;
}
