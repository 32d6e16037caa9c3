import type { Redis } from 'ioredis';
import { within } from '../within.ts';

/** Something that must work for sparkops to do its work here. */
interface Part {
  ok: boolean;
  /** One line for people. */
  text: string;
}

export interface Health {
  ok: boolean;
  version: string;
  roles: readonly string[];
  parts: Readonly<Record<string, Part>>;
}

export interface HealthSources {
  version: string;
  redis: Redis;
  /** Left out where there is no bot. */
  slack?: () => Part;
  worker?: { isRunning: () => boolean; lastRound: () => Date | undefined; reconcileMs: number };
  /** Where there is no worker: how many there are elsewhere; undefined: it can't be known. */
  workersElsewhere?: () => Promise<number | undefined>;
  now: () => Date;
}

const PING_MS = 1_000;
/** A round may take as long as reading the nodes does. */
const ROUND_SLACK_MS = 60_000;

/** Looks at every part now; never rejects. */
export async function lookAtHealth(sources: HealthSources): Promise<Health> {
  const { version, slack, worker, workersElsewhere } = sources;
  const redis = await redisPart(sources.redis);
  const parts: Record<string, Part> = { redis };
  if (slack) parts['slack'] = slack();
  if (worker) {
    const running = worker.isRunning();
    parts['worker'] = { ok: running, text: running ? 'takes jobs' : 'takes no jobs' };
    parts['reconciler'] = reconcilerPart(worker.lastRound(), worker.reconcileMs, sources.now());
  }
  if (workersElsewhere && redis.ok) {
    const count = await workersElsewhere();
    parts['worker'] = {
      ok: count !== 0,
      text: count === undefined ? 'Redis does not tell whether a worker is connected' : `${count} connected elsewhere`,
    };
  }
  const roles = [...(slack ? ['bot'] : []), ...(worker ? ['worker'] : [])];
  return { ok: Object.values(parts).every(({ ok }) => ok), version, roles, parts };
}

async function redisPart(redis: Redis): Promise<Part> {
  const pong = await within(PING_MS, redis.ping()).catch(() => undefined);
  return pong === 'PONG' ? { ok: true, text: 'answers' } : { ok: false, text: 'does not answer; models keep serving' };
}

function reconcilerPart(lastRound: Date | undefined, everyMs: number, now: Date): Part {
  if (!lastRound) return { ok: false, text: 'no round went through yet' };
  const ok = now.getTime() - lastRound.getTime() <= everyMs + ROUND_SLACK_MS;
  return { ok, text: `last round at ${lastRound.toISOString()}` };
}
