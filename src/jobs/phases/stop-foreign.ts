import { setTimeout as delay } from 'node:timers/promises';
import { endProcess, endRestarts, stopContainer } from '../../cluster/docker.ts';
import type { Finding } from '../../cluster/finding.ts';
import type { Machine } from '../../cluster/machine.ts';
import { comesBack, foreignText, memoryText } from '../../cluster/probes/foreign-text.ts';
import { lookAtForeign, type ForeignSeen } from '../../cluster/probes/look-at-foreign.ts';
import type { Foreign } from '../../cluster/probes/foreign.ts';
import { listensOn } from '../../cluster/probes/listeners.ts';
import type { Exec } from '../../cluster/remote/command.ts';
import { OperatorError } from '../../errors.ts';
import { onEach } from './on-each.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';

/** Another sparkops whose fence is younger than this works there now. */
const FRESH_SECONDS = 300;
/** The GPU's memory and the port may be given back a little after the last process. */
const SETTLE_MS = 15_000;
const PAUSE_MS = 500;

type Context = Pick<PhaseContext, 'machines' | 'plan' | 'signal' | 'record'>;

/** Stops exactly what the record names: containers by id once Docker no longer starts them again, processes by pid and start. */
export const stopForeign: Phase = {
  name: 'stop-foreign',
  look: async (ctx) => verdictOf(ctx, await lookAround(ctx)),

  async act(ctx) {
    const seen = await lookAround(ctx);
    await onEach(seen, async ({ machine, left }) => {
      for (const target of left) await end(machine, target, ctx);
    });
    const limit = performance.now() + SETTLE_MS;
    while (performance.now() < limit && verdictOf(ctx, await lookAround(ctx)).state !== 'done') {
      await delay(PAUSE_MS, undefined, { signal: ctx.signal });
    }
  },
};

interface NodeSeen {
  machine: Machine;
  look: ForeignSeen;
  /** Of what is to be stopped, what is still there. */
  left: readonly Foreign[];
  /** Processes on the GPU that outlived their container. */
  orphans: readonly Foreign[];
}

async function lookAround({ machines, plan, record }: Context): Promise<readonly NodeSeen[]> {
  const targets = record.foreign ?? [];
  return onEach(machines, async (machine) => {
    const here = targets.filter(({ node }) => node === machine.node.name);
    const look = await lookAtForeign(machine, { realm: plan.realm, ids: here.filter(isContainer).map(({ id }) => id) });
    const left = look.foreign.filter((one) => here.some((target) => isSame(one, target)));
    return { machine, look, left, orphans: look.foreign.filter((one) => here.some((target) => isOrphan(one, target))) };
  });
}

function verdictOf({ record }: Context, seen: readonly NodeSeen[]): Verdict {
  const left = seen.flatMap((each) => each.left);
  const refused = left.flatMap((one) => refusalOf(one) ?? [])[0];
  if (refused) return { state: 'blocked', finding: refused };
  if (left.length > 0)
    return { state: 'needed', saw: left.map((one) => `${foreignText(one)} on ${one.node}`).join('; ') };
  const rest = seen.flatMap((each) => restOn(each, record.foreign ?? []))[0];
  if (rest) return { state: 'blocked', finding: rest };
  return { state: 'done', saw: `${stoppedText(record.foreign ?? [])}; ports are closed, GPU memory is free` };
}

function refusalOf(one: Foreign): Finding | undefined {
  const { node, kind, name, id, user = 'somebody else', ours, start, realm, fenceAge } = one;
  if (realm !== undefined && fenceAge !== undefined && (fenceAge === 'unknown' || fenceAge < FRESH_SECONDS)) {
    const since = fenceAge === 'unknown' ? "its state can't be read" : `it said so ${fenceAge} s ago`;
    return {
      short: `${realm} works on ${node} now`,
      text: `${name} belongs to another sparkops, ${realm}, which works on ${node} now: ${since}. It was not touched.`,
      node,
      lines: [],
      remedy: `Ask the people of ${realm}, or wait until its fence is older than 5 min.`,
    };
  }
  if (kind === 'container' || (ours && start !== undefined)) return undefined;
  return {
    short: `${name} on ${node} is of ${user}`,
    text: `Process ${name} (pid ${id}) on ${node} belongs to ${user}, and sparkops ends only processes of its own user. Nothing was touched.`,
    node,
    lines: [],
    remedy: `Ask ${user}, or on ${node}: sudo kill ${id}`,
  };
}

async function end(machine: Machine, target: Foreign, { plan }: Context): Promise<void> {
  const { node } = machine;
  if (refusalOf(target)) return;
  if (target.kind === 'process') {
    await changed(machine, endProcess(node.paths.state, target.id, target.start ?? ''), target);
    return;
  }
  if (comesBack(target.restart)) {
    await changed(machine, endRestarts(target.id), target);
    const { foreign } = await lookAtForeign(machine, { realm: plan.realm, ids: [target.id] });
    const now = foreign.find((one) => isSame(one, target));
    if (now && comesBack(now.restart)) {
      throw new OperatorError(
        'command-failed',
        `${target.name} on ${node.name} kept its restart policy, so it was not stopped.`,
        {
          hint: `On ${node.name}: docker update --restart=no ${target.name}`,
          node: node.name,
          lines: [`restart policy: ${now.restart}`],
        },
      );
    }
  }
  await changed(machine, stopContainer(target.id), target);
}

async function changed(machine: Machine, command: Exec, { name, id }: Foreign): Promise<void> {
  const { exitCode, stderr } = await machine.change(command);
  if (exitCode === 0 || /no such container/i.test(stderr)) return;
  const node = machine.node.name;
  throw new OperatorError('command-failed', `${name} on ${node} could not be stopped.`, {
    hint: `On ${node}: see docker ps, or ps ${/^\d+$/.test(id) ? id : ''}`.trim(),
    lines: stderr.split('\n').filter((line) => line.trim() !== ''),
    node,
  });
}

/** What is left although the things themselves are gone. */
function restOn({ machine, look, orphans }: NodeSeen, targets: readonly Foreign[]): Finding[] {
  const { name: node } = machine.node;
  const open = targets
    .filter((target) => target.node === node && !target.portsLikely)
    .flatMap(({ name, ports }) =>
      ports.filter((port) => listensOn(look.listeners, port)).map((port) => ({ name, port })),
    );
  const problem = look.problem ?? look.gpuProblem;
  return [
    ...orphans.map((orphan): Finding => {
      const held = orphan.gpuMemory === undefined ? '' : `, which holds ${memoryText(orphan.gpuMemory)} of GPU memory`;
      return {
        short: `a process is left on ${node}`,
        text: `The container is stopped, but its process ${orphan.name} (pid ${orphan.id}) lives on${held}.`,
        node,
        lines: [],
        remedy: `On ${node}: sudo kill ${orphan.id}`,
      };
    }),
    ...open.map(({ name, port }) => ({
      short: `port ${port} on ${node} is still open`,
      text: `${name} is stopped, but port ${port} on ${node} is still open.`,
      node,
      lines: [],
      remedy: `On ${node} see who listens: sudo ss -ltnp`,
    })),
    ...(problem === undefined
      ? []
      : [
          {
            text: `${node} can't say whether all is gone: ${problem}`,
            node,
            lines: [],
            remedy: `On ${node}: docker ps, nvidia-smi`,
          },
        ]),
  ];
}

function stoppedText(targets: readonly Foreign[]): string {
  return targets.length === 0
    ? 'nothing was named'
    : `stopped: ${targets.map(({ name, node }) => `${name} on ${node}`).join(', ')}`;
}

function isContainer({ kind }: Foreign): boolean {
  return kind === 'container';
}

/** A pid that is used again has another start. */
function isSame(one: Foreign, target: Foreign): boolean {
  return one.kind === target.kind && one.id === target.id && (one.kind === 'container' || one.start === target.start);
}

function isOrphan(one: Foreign, { kind, id, gpuProcesses = [] }: Foreign): boolean {
  if (one.kind !== 'process' || kind !== 'container') return false;
  return one.orphanOf === id || gpuProcesses.includes(`${one.id} ${one.start ?? ''}`);
}
