import type { ApprovalFacts, Interrupted } from '../approval/approval.ts';
import { needsNoApproval } from '../approval/needed.ts';
import { voidedBy } from '../approval/still-true.ts';
import { actionOf, askerOf, type Deployment, type Found } from '../deployment.ts';
import { heldBy, type Standing } from '../held.ts';
import { lookAround } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';
import { successors } from './successors.ts';

/**
 * Asks people before anything that serves is interrupted, and looks at everything again before the point of no return.
 * While they decide the run is parked: it holds no lease, no connection and no place in the queue.
 */
export const approval: Phase = {
  name: 'approval',

  async look(ctx) {
    const asked = ctx.record.approval;
    if (asked && asked.decision?.kind !== 'approved') return { state: 'parked' };
    const found = asked ? await servingNow(ctx) : await foundBefore(ctx);
    const interrupts = found.length === 0 ? [] : await ctx.gate.interrupted(found);
    return asked ? passIfStillTrue(ctx, interrupts) : askOrPass(ctx, interrupts);
  },
};

async function askOrPass(ctx: PhaseContext, interrupts: readonly Interrupted[]): Promise<Verdict> {
  const { record, gate } = ctx;
  const policy = await gate.policy();
  const foreign = foreignOf(record);
  const downMs = interrupts.length > 0 && record.run === 'deploy' ? await gate.downMs() : undefined;
  const facts: ApprovalFacts = {
    interrupts,
    foreign,
    ...(downMs !== undefined && { downMs }),
    checks: { ok: 0, warnings: 0, ...record.checks },
    protected: policy.protected,
  };
  const unasked = needsNoApproval({ action: actionOf(record), facts, now: gate.now() });
  if (unasked === undefined) {
    await gate.ask(facts, policy);
    return { state: 'parked' };
  }
  const why = await gate.pass(interrupts, (holds) => heldSince(record, holds));
  return why === undefined ? { state: 'done', saw: unasked } : { state: 'void', why };
}

async function passIfStillTrue(ctx: PhaseContext, serving: readonly Interrupted[]): Promise<Verdict> {
  const { record, gate } = ctx;
  const { approval: asked } = record;
  if (!asked) return { state: 'parked' };
  const forced = record.forced?.what.includes('hold') ?? false;
  const seen = { serving, successors: record.run === 'stop-foreign' ? await successors(ctx) : [] };
  const why = await gate.pass(serving, (holds) => voidedBy(asked, { ...seen, ...holds }, forced));
  return why === undefined ? { state: 'done', saw: 'approved, and still as it was' } : { state: 'void', why };
}

/** Nobody was asked, and a hold came since the admission. Healing goes on under it. */
function heldSince(record: Deployment, holds: Standing): string | undefined {
  const held = heldBy(holds, { action: actionOf(record), by: askerOf(record), forced: record.forced });
  if (!held) return undefined;
  return held === holds.freeze ? `everything is frozen: ${held.reason}` : `${held.name} holds it: ${held.reason}`;
}

/** Preflight has just looked; a run that stops a deployment had none. */
async function foundBefore(ctx: PhaseContext): Promise<readonly Found[]> {
  if (ctx.record.run === 'deploy') return ctx.record.found ?? [];
  return ctx.record.run === 'stop' ? [itself(ctx.record)] : [];
}

async function servingNow(ctx: PhaseContext): Promise<readonly Found[]> {
  if (ctx.record.run === 'stop') return [itself(ctx.record)];
  if (ctx.record.run === 'stop-foreign') return [];
  const before = ctx.record.found ?? [];
  const { belonging } = await lookAround(ctx);
  return belonging.serving.map(({ uid, number, recipe }) => ({
    uid,
    number,
    recipe,
    wayBack: before.find((each) => each.uid === uid)?.wayBack ?? { proven: false, text: 'it was not looked at' },
  }));
}

function itself({ uid, number, recipe }: Deployment): Found {
  return { uid, number, recipe, wayBack: { proven: true, text: 'it is the same plan again' } };
}

function foreignOf({ foreign = [] }: Deployment): readonly string[] {
  return foreign.map(({ name, node }) => `${name} on ${node}`);
}
