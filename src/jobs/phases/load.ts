import type { CleanLine } from '../../cluster/logs/clean-lines.ts';
import { type PlacementWait, placementWait } from '../../cluster/logs/placement-wait.ts';
import { lineCleaner } from '../../cluster/logs/clean-lines.ts';
import { followServeLog } from '../../cluster/logs/follow.ts';
import { progressReader } from '../../cluster/logs/progress.ts';
import type { Finding, Progress } from '../../cluster/finding.ts';
import { type EngineHealth, engineHealth } from '../../cluster/probes/engine-health.ts';
import { engineHttp } from '../../cluster/probes/engine-http.ts';
import { beforeLimit } from './before-limit.ts';
import { endedFinding } from './engine-end.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';

const WAIT_SECONDS = 1;
const HEALTH_EVERY_MS = 1_000;
const HEALTH_LIMIT_MS = 2_000;
/** What is kept of the log for the cause of a failure. */
const KEPT_LINES = 400;
/** Ray has had the nodes for a while, so a place takes it no time. The engine itself would wait for half an hour. */
const PLACEMENT_SECONDS = 30;

/** Follows the log until the engine answers with the model's name, ends, falls silent, or takes too long. */
export const load: Phase = {
  name: 'load',

  async look(ctx) {
    const { machines, plan, signal } = ctx;
    const follower = followServeLog(machines[0]);
    const http = engineHttp(machines[0], plan);
    const clean = lineCleaner();
    const reader = progressReader();
    const log: CleanLine[] = [];
    const begun = performance.now();
    const patienceMs = beforeLimit(ctx);
    let movedAt = begun;
    let askedAt = -Infinity;

    for (;;) {
      const { text, engine } = await follower.next(WAIT_SECONDS);
      signal.throwIfAborted();
      const lines = clean(text);
      log.push(...lines);
      log.splice(0, log.length - KEPT_LINES);
      const moves = lines.filter((line) => reader.take(line.text)).length;
      const stage = reader.current();
      const now = performance.now();
      const waits = placementWait(lines);
      if (waits) {
        const finding = unplaced(waits, ctx);
        if (waits.seconds >= PLACEMENT_SECONDS) return { state: 'blocked', finding };
        const { node = '', lines: shown } = finding;
        await ctx.note('warning', finding.text, { node, lines: shown });
      }
      if (moves > 0) {
        movedAt = now;
        await ctx.progress(stage);
      }
      if (text === '' && engine.state !== 'alive') {
        return { state: 'blocked', finding: await endedFinding(ctx, engine, { log, stage: stage.stage }) };
      }
      if (now - askedAt >= HEALTH_EVERY_MS || (moves > 0 && stage.stage === 'api')) {
        askedAt = now;
        const health = await engineHealth(http, { servedName: plan.servedName, signal, limitMs: HEALTH_LIMIT_MS });
        const verdict = verdictOf(health, plan.servedName);
        if (verdict) return verdict;
      }
      const late = lateness({ ctx, stage, log, patienceMs, runningMs: now - begun, silentMs: now - movedAt });
      if (late) return { state: 'blocked', finding: late };
    }
  },
};

function verdictOf(health: EngineHealth, servedName: string): Verdict | undefined {
  switch (health.state) {
    case 'ready':
      return { state: 'done', saw: `the engine serves ${servedName}` };
    case 'other-model':
      return {
        state: 'blocked',
        finding: {
          short: 'the engine serves another model',
          text: `The engine is up, but serves ${health.names.join(', ') || 'no model'}, not ${servedName}.`,
          lines: [],
          remedy: 'Look at --served-model-name in the recipe, and at who else may listen on that port.',
        },
      };
    case 'busy':
    case 'silent':
      return undefined;
  }
}

function unplaced({ address, line }: PlacementWait, { plan: { nodes } }: PhaseContext): Finding {
  const [{ name }] = nodes;
  const asked = address === undefined ? `${nodes.length} nodes` : `a node at ${address}`;
  return {
    text: `The engine waits for Ray to place it: it asks for ${asked} with a free GPU, and Ray has none.`,
    node: name,
    lines: [line.slice(0, 300)],
    remedy:
      "Compare the fabric addresses in the cluster's file with `ip -4 addr` on the nodes, and see that nothing else holds their GPUs.",
  };
}

interface Waiting {
  ctx: PhaseContext;
  stage: Progress;
  log: readonly CleanLine[];
  patienceMs: number;
  runningMs: number;
  silentMs: number;
}

function lateness({ ctx, stage, log, patienceMs, runningMs, silentMs }: Waiting): Finding | undefined {
  const { plan } = ctx;
  const node = plan.nodes[0].name;
  const lines = log.slice(-3).map(({ text }) => text.slice(0, 400));
  const at = stageText(stage);
  if (silentMs > plan.limits.silenceMs) {
    return {
      text: `No progress for ${minutes(silentMs)}, last seen: ${at}.`,
      short: `stuck in ${stage.stage} for ${minutes(silentMs)}`,
      node,
      lines,
      remedy:
        'Look at the GPUs (status) and the log. If it is only slow, raise timeouts.load_silence in sparkops.yaml.',
    };
  }
  if (runningMs > patienceMs) {
    return {
      text: `Not loaded after ${minutes(runningMs)}, last seen: ${at}.`,
      short: `not loaded after ${minutes(runningMs)}`,
      node,
      lines,
      remedy: 'If it was still moving, raise timeouts.load in sparkops.yaml.',
    };
  }
  return undefined;
}

function stageText({ stage, done, total, percent }: Progress): string {
  const part = done !== undefined && total !== undefined ? ` ${done} of ${total}` : '';
  return `${stage}${part}${percent === undefined ? '' : `, ${percent} %`}`;
}

function minutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
