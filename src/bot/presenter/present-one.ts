import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isEnded, isForeign } from '../../jobs/deployment.ts';
import { SURFACE } from '../places.ts';
import type { Slack } from '../slack.ts';
import { keepCard } from './keep-card.ts';
import { keepLog } from './keep-log.ts';
import { keepReplies } from './keep-replies.ts';
import { keepRequest } from './keep-request.ts';
import type { Lanes } from './lanes.ts';
import type { PresentJobs, Presentation } from './presentation.ts';
import { loadStanding } from './standing.ts';
import { Watch } from './watch.ts';

export interface PresentOptions {
  jobs: PresentJobs;
  slack: Slack;
  lanes: Lanes;
  rights: Presentation['rights'];
  log: Logger;
  /** Aborted at a stop: what is being sent is sent, then it ends. */
  stop: AbortSignal;
  /** Hears how to tell that the record changed. */
  onPoke: (poke: () => void) => void;
}

type Lease = NonNullable<Awaited<ReturnType<PresentJobs['present']>>>;

const RENEW_EVERY_MS = 3_000;
/** Of a lease's 10 s: without a renewal for longer, another process may present. */
const SURE_FOR_MS = 7_000;

/** Shows a deployment until all of it is in Slack, another process does it, or it is stopped. */
export async function presentOne(uid: string, options: PresentOptions): Promise<void> {
  const { jobs, log, stop } = options;
  const found = await jobs.find(uid);
  // A bot of the version that wrote it shows it.
  if (found && isForeign(found)) return;
  const lease = await jobs.present(uid, SURFACE);
  if (!lease) return;
  const over = new AbortController();
  const end = () => over.abort();
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted) end();
  try {
    const presentation = await begin(uid, { ...options, end, signal: over.signal });
    if (!presentation) {
      await jobs.presented(uid, SURFACE);
      return;
    }
    const loops = [
      presentation.watch.keepLooking(over.signal, (error) =>
        log.warn({ err: error, uid }, 'The record could not be read'),
      ),
      keepCard(presentation),
      keepRequest(presentation),
      keepReplies(presentation),
      keepLog(presentation),
      keepLease(lease, over),
    ];
    for (const loop of loops) loop.then(end, end);
    const results = await Promise.allSettled(loops);
    for (const result of results) {
      if (result.status === 'rejected' && !isAbort(result.reason)) throw result.reason;
    }
  } finally {
    stop.removeEventListener('abort', end);
    await lease
      .release()
      .catch((error: unknown) => log.warn({ err: error, uid }, 'A lease was not given back: it runs out'));
  }
}

async function begin(
  uid: string,
  { jobs, slack, lanes, rights, log, onPoke, end, signal }: PresentOptions & { end: () => void; signal: AbortSignal },
): Promise<Presentation | undefined> {
  const record = await jobs.find(uid);
  const standing = await loadStanding(jobs, uid);
  if (!record || !standing) return undefined;
  const watch = new Watch(jobs, standing, record);
  onPoke(() => watch.poke());
  await watch.look();
  const giveUp = () => {
    void jobs
      .presented(uid, SURFACE)
      .catch((error: unknown) => log.warn({ err: error, uid }, 'The store could not be told'));
    end();
  };
  const shown = untilShown({ uid, watch, standing, jobs, end });
  return { uid, jobs, slack, lanes, rights, log, standing, watch, signal, shown, giveUp };
}

/** Once the end is in Slack nothing more comes, unless something came meanwhile. */
function untilShown({
  uid,
  watch,
  standing,
  jobs,
  end,
}: Pick<Presentation, 'uid' | 'watch' | 'standing'> & { jobs: PresentJobs; end: () => void }): Presentation['shown'] {
  const upTo = { card: 0, request: 0, replies: 0, log: 0 };
  return async (more) => {
    Object.assign(upTo, more);
    const { version, record } = watch;
    const all = Object.values(upTo).every((shown) => shown === version);
    if (standing.facts.run === 0 || !isEnded(record.state) || !all) return;
    await jobs.presented(uid, SURFACE);
    await watch.look();
    if (watch.version === version) end();
  };
}

async function keepLease(lease: Lease, over: AbortController): Promise<void> {
  let sureUntil = performance.now() + SURE_FOR_MS;
  while (performance.now() < sureUntil) {
    await delay(RENEW_EVERY_MS, undefined, { signal: over.signal });
    const held = await lease.renew().catch(() => undefined);
    if (held === false) return;
    if (held === true) sureUntil = performance.now() + SURE_FOR_MS;
  }
}

function isAbort(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  return reason.name === 'AbortError' || (reason.cause instanceof Error && reason.cause.name === 'AbortError');
}
