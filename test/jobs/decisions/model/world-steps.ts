import type { Guards } from './guards.ts';
import type { Step } from './search.ts';
import { copy, copyRedis, EMPTY, idle, type Left, type World } from './state.ts';
import { abandoned, stopped } from './stopping.ts';
import { isEnded } from './worker-steps.ts';

/** Time, faults, and what people ask for meanwhile. */
export function* worldSteps(world: World, guards: Guards): Generator<Step> {
  for (const at of [0, 1] as const) {
    const { at: where } = world.workers[at];
    if (where !== 'idle' && where !== 'picked') {
      yield* renew(world, guards, at);
      yield* time(world, at);
    }
    if (where !== 'idle') yield* crash(world, at);
    if (where === 'sent' || world.workers[at].raised.includes('sent')) yield* loseAnswer(world, at);
  }
  const { lease } = world.redis;
  if (lease !== null && world.workers.every(({ token }) => token !== lease)) {
    const next = copy(world);
    next.redis.lease = null;
    yield { label: `the lease of ${lease} runs out, its worker is gone`, next };
  }
  yield* loseMemory(world);
  yield* people(world, guards);
}

function* renew(world: World, guards: Guards, at: 0 | 1): Generator<Step> {
  const { uid, token, fence, knows, rec } = world.workers[at];
  if (knows === 'lost') return;
  const renewal = guards.decideRenewal(world.redis, { uid, token, fence });
  if (renewal === 'kept' && knows === 'held') return;
  const next = copy(world);
  const label = `W${at + 1} renews: ${renewal}`;
  switch (renewal) {
    case 'kept':
    case 'again': {
      next.redis.lease = token;
      next.workers[at].knows = 'held';
      const others = world.takings > Number(token.slice(1)) && !world.memoryLost;
      const violation =
        renewal === 'again' && others && `${token} has its lease again, though another had it meanwhile`;
      yield { label, next, ...(violation && { violation }) };
      return;
    }
    case 'forgotten':
      next.redis = { ...next.redis, claim: uid, fence: String(fence), [uid]: { ...rec } };
      yield { label, next };
      return;
    case 'lost':
      stopped(next, guards, at, { why: 'lease-lost' });
      yield { label, next };
  }
}

/** A pause, or a Redis that does not answer: 2/3 of the lease's life, then all of it. */
function* time(world: World, at: 0 | 1): Generator<Step> {
  const { knows, token } = world.workers[at];
  if (knows !== 'held' && knows !== 'unknown') return;
  const next = knows === 'held' ? troubled(world, 'lapse') : copy(world);
  if (!next) return;
  next.workers[at].knows = knows === 'held' ? 'unknown' : 'run-out';
  if (knows === 'unknown' && next.redis.lease === token) next.redis.lease = null;
  yield { label: knows === 'held' ? `W${at + 1} has not renewed in time` : `the lease of ${token} runs out`, next };
}

function* crash(world: World, at: 0 | 1): Generator<Step> {
  const next = troubled(world, 'crash');
  if (!next) return;
  abandoned(next, at);
  next.workers[at] = idle();
  yield { label: `W${at + 1} dies`, next };
}

/** The connection breaks: what was sent may begin all the same, and the worker looks again. */
function* loseAnswer(world: World, at: 0 | 1): Generator<Step> {
  const next = troubled(world, 'lostAnswer');
  if (!next) return;
  abandoned(next, at);
  const worker = next.workers[at];
  if (worker.at === 'sent') worker.at = 'work';
  yield { label: `W${at + 1} loses its connections`, next };
}

function* loseMemory(world: World): Generator<Step> {
  const before = { what: 'goes back to before the last taking of a fence', redis: world.before, withNode: undefined };
  for (const { what, redis, withNode } of [before, ...world.past]) {
    const next = troubled(world, 'memory');
    if (!next) return;
    next.redis = copyRedis(redis);
    next.before = EMPTY;
    next.memoryLost = true;
    if (withNode) {
      for (const at of [0, 1] as const) {
        const worker = next.workers[at];
        if (worker.raised[0] === 'sent') worker.raised[0] = 'no';
        const all = [...next.nodes[0].inbox, ...next.nodes[0].running];
        const waits = all.some(({ awaited, token }) => awaited && token === worker.token);
        if (waits && worker.at === 'sent') worker.at = 'work';
      }
      next.nodes[0] = { ...next.nodes[0], file: undefined, top: undefined, inbox: [], running: [] };
    }
    yield { label: `Redis ${what}`, next };
  }
}

function* people(world: World, guards: Guards): Generator<Step> {
  const { redis } = world;
  for (const uid of ['d1', 'd2'] as const) {
    const rec = redis[uid];
    if (!rec || isEnded(rec) || rec.state === 'aborting' || rec.cancel) continue;
    const next = troubled(world, 'cancel');
    if (!next) break;
    next.redis[uid] = { ...rec, cancel: true };
    yield { label: `a person cancels ${uid}`, next };
  }
  if (redis.d2) return;
  const decision = guards.decideClaim(
    { claim: redis.claim, holds: {}, counter: '1' },
    { action: 'deploy', by: { team: '', user: '' } },
  );
  if (decision.outcome !== 'admit') return;
  const next = troubled(world, 'second');
  if (!next) return;
  next.redis.claim = 'd2';
  next.redis.d2 = { state: 'queued', phase: -1, cancel: false };
  const both = redis.d1 && !isEnded(redis.d1);
  yield { label: 'd2 is admitted', next, ...(both && { violation: 'd1 and d2 are claimed at once' }) };
}

function troubled(world: World, which: Exclude<keyof Left, 'troubles' | 'taking'>): World | undefined {
  if (world.left.troubles === 0 || world.left[which] === 0) return undefined;
  const next = copy(world);
  next.left.troubles -= 1;
  next.left[which] -= 1;
  return next;
}
