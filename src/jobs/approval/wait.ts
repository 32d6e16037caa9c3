import { isEnded, type Deployment } from '../deployment.ts';
import { approvalChanged, ended, unchangedEnd, type RecordChange } from '../run/record-changes.ts';
import { inStore } from '../store.ts';
import { expire } from './decide.ts';
import { interruptedNow, type GateParts } from './gate.ts';

/** go: it is approved, and its time has come. */
export type Standing = 'go' | 'wait' | 'ended';

/**
 * What a run that waits for people does when it wakes: takes no lease and changes no node. Only an approval "when idle"
 * looks at the engine.
 */
export async function standingOf(parts: GateParts, { uid }: Deployment): Promise<Standing> {
  const { journal, now } = parts;
  const { record } = await journal.change(uid, (latest) => whenAwake(latest, now()));
  if (isEnded(record.state)) return 'ended';
  const { decision } = record.approval ?? {};
  if (decision?.kind !== 'approved') return 'wait';
  if (decision.when === 'now' || (await isIdle(parts, record))) return 'go';
  if (now().getTime() < Date.parse(decision.at) + (record.approval?.terms.idleMs ?? 0)) return 'wait';
  await journal.change(uid, (latest) => neverIdle(latest, now()));
  return 'ended';
}

function whenAwake(record: Deployment, at: Date): RecordChange | undefined {
  const { approval, cancelAsked } = record;
  if (isEnded(record.state) || !approval) return undefined;
  if (cancelAsked) {
    const decision = { kind: 'withdrawn' as const, at: at.toISOString(), by: cancelAsked.by };
    return ended({ ...record, approval: { ...approval, decision } }, unchangedEnd(record, 'cancelled'), at);
  }
  const next = expire(approval, at);
  if (next.decision?.kind !== 'expired') return approvalChanged(record, next);
  return ended(
    { ...record, approval: next, cause: { text: UNDECIDED, lines: [] } },
    unchangedEnd(record, 'expired'),
    at,
  );
}

function neverIdle(record: Deployment, at: Date): RecordChange | undefined {
  const { approval } = record;
  if (!approval || isEnded(record.state)) return undefined;
  const expired = { ...approval, decision: { kind: 'expired' as const, at: at.toISOString() } };
  return ended(
    { ...record, approval: expired, cause: { text: NEVER_IDLE, lines: [] } },
    unchangedEnd(record, 'expired'),
    at,
  );
}

const UNDECIDED = 'Nobody decided in time, so nothing was done.';
const NEVER_IDLE = 'It was never idle in the time that it may wait for that, so nothing was done.';

/** No request runs or waits in any of what would be interrupted. What no longer serves is idle; the next look tells. */
async function isIdle(parts: GateParts, { cluster, approval }: Deployment): Promise<boolean> {
  const seen = await interruptedNow(parts, cluster, approval?.facts.interrupts ?? []);
  const { redis, keys } = parts.store;
  const serving = await inStore(() => redis.zrange(keys.serving(cluster), 0, '-1'));
  return seen.every(({ uid, running, waiting }) => !serving.includes(uid) || (running === 0 && (waiting ?? 0) === 0));
}
