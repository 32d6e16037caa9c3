import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../cluster/finding.ts';
import type { Machine } from '../../cluster/machine.ts';
import { pollRayNodes } from '../../cluster/probes/ray-nodes.ts';
import { beforeLimit } from './before-limit.ts';
import { lastWords } from './ensure-container.ts';
import { endedContainer } from './look-around.ts';
import { onEach } from './on-each.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';

/** A node whose Ray comes up has few cores to spare: each look at its container takes from them. */
const LOOK_MS = 5_000;

/** A check: waits for nodes that are missing, ends at once on one that registered wrongly or whose container ended. */
export const verifyRay: Phase = {
  name: 'verify-ray',

  async look(ctx) {
    const over = new AbortController();
    const signal = AbortSignal.any([ctx.signal, over.signal]);
    try {
      return await Promise.race([registered(ctx), deadContainer(ctx, signal)]);
    } finally {
      over.abort();
    }
  },
};

async function registered(ctx: PhaseContext): Promise<Verdict> {
  const { machines, plan } = ctx;
  const patienceMs = beforeLimit(ctx);
  const verdict = await pollRayNodes(machines[0], plan, { limitMs: patienceMs });
  switch (verdict.state) {
    case 'complete':
      return { state: 'done', saw: verdict.saw };
    case 'wrong':
      return { state: 'blocked', finding: verdict.finding };
    case 'waiting': {
      const names = verdict.missing.map(({ name }) => name);
      const [first] = machines.filter(({ node }) => names.includes(node.name));
      const seconds = Math.round(patienceMs / 1000);
      const text = `${names.join(' and ')} did not register with Ray within ${seconds} s.`;
      const short = `${names.join(' and ')} did not join Ray`;
      return { state: 'blocked', finding: await withLogs({ text, short }, first ?? machines[0], verdict.lines) };
    }
  }
}

/** Resolves only when a container has ended: that node will not register any more. */
async function deadContainer({ machines, plan }: PhaseContext, signal: AbortSignal): Promise<Verdict> {
  for (;;) {
    // Its end is decided by the other side of the race.
    if (!(await sleep(LOOK_MS, true, { signal }).catch(() => false))) return new Promise(() => undefined);
    const looks = await onEach(machines, async (machine) => ({ machine, ended: await endedContainer(machine, plan) }));
    const [dead] = looks.flatMap(({ machine, ended }) => (ended ? [{ machine, own: ended.own }] : []));
    if (!dead) continue;
    const { machine, own } = dead;
    const how = own ? `ended with code ${own.exitCode}${own.outOfMemory ? ' (out of memory)' : ''}` : 'is gone';
    const text = `The container on ${machine.node.name} ${how} before Ray had all nodes.`;
    const short = `the container on ${machine.node.name} ended`;
    return { state: 'blocked', finding: await withLogs({ text, short }, machine, []) };
  }
}

async function withLogs(
  what: { text: string; short: string },
  machine: Machine,
  seen: readonly string[],
): Promise<Finding> {
  const { name } = machine.node;
  const words = await lastWords(machine, 15 - Math.min(seen.length, 5));
  return {
    ...what,
    node: name,
    lines: [...seen.slice(0, 5), ...words],
    remedy: `Its log ends with these lines. sparkops plan prints the docker command, to be tried by hand on ${name}.`,
  };
}
