import type { Guards } from './guards.ts';
import type { Step } from './search.ts';
import { copy, copyRedis, idle, PHASES, type Rec, type World, type Worker } from './state.ts';
import { abandoned, NODE_OF, stopped, undoing } from './stopping.ts';
import { nextCommand } from './next-command.ts';

/** What the two workers do by themselves. */
export function* workerSteps(world: World, guards: Guards): Generator<Step> {
  for (const at of [0, 1] as const) {
    const worker = world.workers[at];
    switch (worker.at) {
      case 'idle':
        yield* pick(world, at);
        break;
      case 'picked':
        yield take(world, guards, at);
        break;
      case 'raise':
        yield* raise(world, guards, at);
        break;
      case 'higher':
        yield higher(world, guards, at, worker.told);
        break;
      case 'work':
        yield* work(world, guards, at);
        break;
      case 'sent':
        break;
    }
    yield* seeCancel(world, guards, at);
  }
}

/** The queue gives it a deployment that is not ended, also when another worker has it: that one is thought dead. */
function* pick(world: World, at: 0 | 1): Generator<Step> {
  if (world.left.taking === 0) return;
  for (const uid of ['d1', 'd2'] as const) {
    const rec = world.redis[uid];
    if (!rec || isEnded(rec)) continue;
    const next = copy(world);
    next.workers[at] = { ...idle(), at: 'picked', uid };
    yield { label: `W${at + 1} picks ${uid}`, next };
  }
}

function take(world: World, guards: Guards, at: 0 | 1): Step {
  const next = copy(world);
  const { uid } = world.workers[at];
  const taking = guards.decideTaking(world.redis, { uid });
  const rec = world.redis[uid];
  if (taking.outcome !== 'taken' || !rec || world.left.taking === 0) {
    next.workers[at] = idle();
    return { label: `W${at + 1} does not get the lease`, next };
  }
  next.before = copyRedis(world.redis);
  next.takings += 1;
  next.left.taking -= 1;
  const token = `t${next.takings}`;
  next.redis.lease = token;
  next.redis.fence = String(taking.fence);
  const first = rec.phase < 0 ? 'work' : 'raise';
  next.workers[at] = { ...idle(), at: first, uid, token, fence: taking.fence, rec: { ...rec, cancel: false } };
  const phase = PHASES[rec.phase];
  const start = guards.decideStart(
    {
      state: rec.state,
      ...(phase && { phase }),
      phases: phase ? [{ name: phase, state: 'running', attempts: 1 }] : [],
    },
    PHASES,
  );
  if (start.act === 'nothing') next.workers[at] = idle();
  if (start.act === 'undo') undoing(next, guards, at);
  const wrong = world.redis.claim !== uid;
  return {
    label: `W${at + 1} takes the lease of ${uid}: fence ${taking.fence} ${token}`,
    next,
    ...(wrong && { violation: `${uid} is leased while the cluster belongs to ${world.redis.claim}` }),
  };
}

/** To all nodes at once, again from the start when one has refused. */
function* raise(world: World, guards: Guards, at: 0 | 1): Generator<Step> {
  const { raised, knows, fence, token, uid, told } = world.workers[at];
  if (raised.includes('sent')) return;
  const next = copy(world);
  const worker = next.workers[at];
  if (raised.every((each) => each === 'ok')) {
    worker.at = 'work';
    yield { label: `W${at + 1} has raised all`, next };
    return;
  }
  if (guards.decideChange(stateOf(knows)) !== 'start') return;
  for (const node of [0, 1] as const) {
    if (raised[node] !== 'no') continue;
    worker.raised[node] = 'sent';
    next.nodes[node].inbox.push({ what: 'raise', of: uid, target: uid, fence, token, awaited: true });
  }
  const useless = raised[0] === 'no' &&
    raised[1] === 'no' &&
    fence <= told && { violation: `${token} raises ${fence}, though it was told of ${told}` };
  yield { label: `W${at + 1} sends raise ${fence} ${token}`, next, ...useless };
}

function higher(world: World, guards: Guards, at: 0 | 1, min: number): Step {
  const next = copy(world);
  const worker = next.workers[at];
  const { token } = worker;
  const decision = guards.decideHigher(world.redis, { token, min });
  if (decision.outcome === 'lost') {
    stopped(next, guards, at, { why: 'lease-lost' });
    return { label: `W${at + 1} can't take a higher fence: its lease is lost`, next };
  }
  next.before = copyRedis(world.redis);
  next.redis.fence = String(decision.fence);
  next.workers[at] = { ...worker, at: 'raise', fence: decision.fence, raised: ['no', 'no'] };
  return { label: `W${at + 1} takes fence ${decision.fence}`, next };
}

function* work(world: World, guards: Guards, at: 0 | 1): Generator<Step> {
  const worker = world.workers[at];
  const [step] = worker.abort ?? [];
  switch (step) {
    case undefined:
      yield* forward(world, guards, at);
      return;
    case 'write-aborting':
      yield* write(world, guards, at, { ...worker.rec, state: 'aborting' });
      return;
    case 'write-end':
      yield* write(world, guards, at, { ...worker.rec, state: 'cancelled' });
      return;
    case 'raise-higher':
      yield higher(passed(world, at), guards, at, worker.fence);
      return;
    case 'raise': {
      const next = passed(world, at);
      next.workers[at].at = 'raise';
      yield { label: `W${at + 1} raises before it undoes`, next };
      return;
    }
    default: {
      const node = NODE_OF[Number(step)] ?? 0;
      const there = world.nodes[node].containers.some((name) => name.startsWith(worker.uid));
      if (there) yield* send(world, guards, at, { node, what: 'remove', target: worker.uid });
      else yield { label: `W${at + 1} sees ${PHASES[Number(step)]} undone`, next: passed(world, at) };
    }
  }
}

function passed(world: World, at: 0 | 1): World {
  const next = copy(world);
  next.workers[at].abort?.shift();
  return next;
}

/** Looks, then sends what is needed, or writes that the phase is done. */
function* forward(world: World, guards: Guards, at: 0 | 1): Generator<Step> {
  const { uid, rec } = world.workers[at];
  const command = rec.phase < 0 ? undefined : nextCommand(world.nodes, uid, rec.phase);
  if (command === 'failed') {
    const next = copy(world);
    stopped(next, guards, at, { why: 'failed', cause: { text: 'its container is gone', lines: [] }, remedy: '' });
    yield { label: `W${at + 1} fails: its container is gone`, next };
  } else if (command) {
    yield* send(world, guards, at, command);
  } else {
    const last = rec.phase === PHASES.length - 1;
    yield* write(world, guards, at, {
      ...rec,
      state: last ? 'serving' : 'running',
      phase: last ? rec.phase : rec.phase + 1,
    });
  }
}

function* send(
  world: World,
  guards: Guards,
  at: 0 | 1,
  { node, what, target }: { node: 0 | 1; what: 'remove' | 'start' | 'serve'; target: string },
): Generator<Step> {
  const { uid, fence, token, knows } = world.workers[at];
  if (knows !== 'lost' && guards.decideChange(stateOf(knows)) !== 'start') return;
  const next = copy(world);
  next.workers[at].at = 'sent';
  next.nodes[node].inbox.push({ what, of: uid, target, fence, token, awaited: true });
  const wrong = knows === 'lost' ? 'it knows that its lease is lost' : 'its lease has run out';
  yield {
    label: `W${at + 1} sends ${what} ${target} to spark${node + 1}`,
    next,
    ...((knows === 'lost' || knows === 'run-out') && { violation: `${token} starts a change, though ${wrong}` }),
  };
}

/** On the record as it stands now; a run that may not has lost its lease, or waits until it is renewed. */
function* write(world: World, guards: Guards, at: 0 | 1, rec: Rec): Generator<Step> {
  const { uid, token, knows } = world.workers[at];
  const there = world.redis[uid];
  if (!there) return;
  const may = guards.decideWrite(world.redis, token);
  if (may === 'lapsed' && knows !== 'lost') return;
  const next = copy(world);
  const label = `W${at + 1} writes ${uid} ${rec.state}${rec.state === 'running' ? ` ${PHASES[rec.phase]}` : ''}`;
  if (knows === 'lost') yield { label, next, violation: `${token} goes on, though it knows that its lease is lost` };
  if (may !== 'write') {
    stopped(next, guards, at, { why: 'lease-lost' });
    yield { label: `${label}: refused`, next };
    return;
  }
  const written = { ...rec, cancel: there.cancel, ...(isEnded(rec) && { endedBy: token }) };
  next.redis[uid] = written;
  const worker = next.workers[at];
  // A phase is written down as begun before anything is raised for it.
  if (worker.rec.phase < 0 && rec.state === 'running') worker.at = 'raise';
  worker.rec = { ...rec, cancel: false };
  worker.abort?.shift();
  if (isEnded(written)) {
    if (next.redis.claim === uid) next.redis.claim = null;
    if (guards.decideRelease(next.redis, { token }) === 'drop') next.redis.lease = null;
    next.workers[at] = idle();
  }
  const wrong = isEnded(there) ? `${token} writes ${uid}, which has ended` : wrongEnd(world, uid, written);
  yield { label, next, ...(wrong !== undefined && { violation: wrong }) };
}

/** A store that goes back may bring back an older worker while a newer one undoes: what serves is then looked at again and found dead. */
function wrongEnd({ nodes: [head, worker], memoryLost }: World, uid: string, { state }: Rec): string | undefined {
  const whole = head.containers.includes(`${uid}+`) && worker.containers.includes(uid);
  return state === 'serving' && !whole && !memoryLost ? `${uid} is written as serving, and does not` : undefined;
}

function* seeCancel(world: World, guards: Guards, at: 0 | 1): Generator<Step> {
  const worker = world.workers[at];
  if (worker.at === 'idle' || worker.at === 'picked' || worker.abort || !world.redis[worker.uid]?.cancel) return;
  const next = copy(world);
  abandoned(next, at);
  stopped(next, guards, at, { why: 'cancelled', by: { team: '', user: '' } });
  yield { label: `W${at + 1} sees the cancel`, next };
}

export function isEnded({ state }: Rec): boolean {
  return state === 'serving' || state === 'cancelled';
}

function stateOf(knows: Worker['knows']): 'held' | 'unknown' | 'lost' {
  return knows === 'run-out' ? 'unknown' : knows;
}
