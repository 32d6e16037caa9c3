import { setTimeout as sleep } from 'node:timers/promises';
import { askMetrics } from '../../cluster/probes/ask-metrics.ts';
import { sampleOf } from '../../cluster/probes/engine-state.ts';
import type { Http } from '../../cluster/remote/http.ts';
import type { PhaseContext } from './phase.ts';

export interface Draining {
  uid: string;
  http: Http;
}

/** idle: nothing runs nor waits. hurried: [Stop now]. silent: it no longer says what it does. */
export interface Drained {
  end: 'idle' | 'late' | 'hurried' | 'silent';
  /** Requests that are cut off, as last seen. */
  left: number;
}

const POLL_MS = 500;
const ASK_MS = 2_000;
/** An engine that does not say what it does is asked again this often. */
const PATIENCE = 3;

/** Waits until no request runs nor waits, at most until `until` (milliseconds since 1970). Looks at least once. */
export async function drain(
  ctx: Pick<PhaseContext, 'signal' | 'hurry' | 'progress' | 'leaveSample'>,
  engines: readonly Draining[],
  until: number,
): Promise<Drained> {
  const { signal, hurry } = ctx;
  const over = AbortSignal.any([signal, hurry]);
  let silent = 0;
  let left = 0;
  for (;;) {
    const loads = await Promise.all(engines.map((engine) => loadOf(ctx, engine)));
    const known = loads.flatMap((load) => load ?? []);
    silent = known.length < loads.length ? silent + 1 : 0;
    if (known.length > 0) left = known.reduce((total, load) => total + load, 0);
    if (known.length === loads.length && left === 0) return { end: 'idle', left };
    if (silent === PATIENCE && left === 0) return { end: 'silent', left };
    const remaining = until - Date.now();
    if (hurry.aborted) return { end: 'hurried', left };
    if (remaining <= 0) return { end: silent >= PATIENCE ? 'silent' : 'late', left };
    await ctx.progress({ stage: waiting(left, remaining) });
    await sleep(Math.min(POLL_MS, remaining), undefined, { signal: over }).catch(() => signal.throwIfAborted());
  }
}

async function loadOf(
  { signal, leaveSample }: Pick<PhaseContext, 'signal' | 'leaveSample'>,
  { http, uid }: Draining,
): Promise<number | undefined> {
  const metrics = await askMetrics(http, { signal, limitMs: ASK_MS });
  if (!metrics) return undefined;
  await leaveSample(uid, sampleOf(metrics, undefined, Date.now()));
  return metrics.running + metrics.waiting;
}

function waiting(left: number, remainingMs: number): string {
  return `waits for ${requests(left)}, ${Math.ceil(remainingMs / 1_000)} s left`;
}

/** "1 request", "3 requests". */
export function requests(count: number): string {
  return `${count} request${count === 1 ? '' : 's'}`;
}
