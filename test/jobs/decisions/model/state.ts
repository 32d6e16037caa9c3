/** What the search knows of the world. Plain data; `copy` and `keyOf` know every field. */
export interface World {
  redis: Redis;
  /** As it was before the last taking or raising of a fence: what a roll-back brings back. */
  before: Redis;
  /** What else a loss of memory may leave. */
  past: readonly Past[];
  nodes: [Node, Node];
  workers: [Worker, Worker];
  /** Leases taken so far: the next token's number. */
  takings: number;
  left: Left;
  memoryLost: boolean;
}

/** How often each may still happen. */
export interface Left {
  /** Of all of those below but takings together. */
  troubles: number;
  /** A worker has not renewed for 2/3 of its lease's life. */
  lapse: number;
  /** A lease is taken. */
  taking: number;
  crash: number;
  lostAnswer: number;
  memory: number;
  cancel: number;
  second: number;
}

export interface Redis {
  claim: string | null;
  lease: string | null;
  fence: string | null;
  d1: Rec | null;
  d2: Rec | null;
}

interface Past {
  what: string;
  redis: Redis;
  /** The state folder of spark1, where it was, is lost with it. */
  withNode?: true;
}

export type Uid = 'd1' | 'd2';

export interface Rec {
  state: 'queued' | 'running' | 'aborting' | 'serving' | 'cancelled';
  /** -1: none begun. */
  phase: number;
  cancel: boolean;
  /** The token of whoever wrote its end. */
  endedBy?: string;
}

export interface Node {
  /** Of STATE/fence; undefined: there is none. */
  file: { fence: number; token: string; number: number } | undefined;
  /** The newest raise that has been answered with 'written'. */
  top: { fence: number; token: string } | undefined;
  /** uids; the one whose engine was started is followed by '+'. */
  containers: string[];
  running: Message[];
  inbox: Message[];
}

/** Sent to a node, where it may begin at any later time. */
export interface Message {
  what: 'raise' | 'remove' | 'start' | 'serve';
  of: Uid;
  /** Whose container. */
  target: string;
  fence: number;
  token: string;
  /** Whether the worker that has this token still waits for the answer. */
  awaited: boolean;
}

export interface Worker {
  at: 'idle' | 'picked' | 'raise' | 'higher' | 'work' | 'sent';
  uid: Uid;
  token: string;
  fence: number;
  /** 'run-out': unknown, and its time in Redis is over as well. */
  knows: 'held' | 'unknown' | 'run-out' | 'lost';
  rec: Rec;
  raised: [Raise, Raise];
  /** The highest fence that a node has told it of. */
  told: number;
  /** What is left of giving up; undefined: it goes forward. */
  abort: Abort[] | undefined;
}

type Raise = 'no' | 'sent' | 'refused' | 'newer' | 'ok';
/** 'write-aborting', 'raise', 'raise-higher', 'write-end', or the index of the phase to undo. */
export type Abort = string | number;

/** The changing commands of a deploy, one phase each; undone are all but the first. */
export const PHASES = ['stop-previous', 'start-head', 'start-workers', 'serve'] as const;

const IDLE: Worker = {
  at: 'idle',
  uid: 'd1',
  token: '',
  fence: 0,
  knows: 'held',
  rec: { state: 'queued', phase: -1, cancel: false },
  raised: ['no', 'no'],
  told: 0,
  abort: undefined,
};

export function idle(): Worker {
  return copyWorker(IDLE);
}

export const EMPTY: Redis = { claim: null, lease: null, fence: null, d1: null, d2: null };

/** d1 was just admitted; on the second node lies a container of an earlier deployment. */
export function firstWorld(left: Left): World {
  const redis: Redis = { ...EMPTY, claim: 'd1', d1: { state: 'queued', phase: -1, cancel: false } };
  return {
    redis,
    before: copyRedis(redis),
    past: [
      { what: 'goes back to its start', redis },
      { what: 'is emptied', redis: EMPTY },
      { what: 'is emptied, and the state folder of spark1, where it was, as well', redis: EMPTY, withNode: true },
    ],
    nodes: [nodeWith([]), nodeWith(['d0'])],
    workers: [idle(), idle()],
    takings: 0,
    left: { ...left },
    memoryLost: false,
  };
}

/** The same, with a store that is never emptied: it forgets what it was told last. */
export function forgetfulWorld(left: Left): World {
  return { ...firstWorld(left), past: [] };
}

/** d1 serves, and d2 was just admitted to replace it; there is a copy of the store from each phase of d1. */
export function secondWorld(left: Left): World {
  const fence = '1';
  const redis: Redis = {
    ...EMPTY,
    claim: 'd2',
    fence,
    d1: { state: 'serving', phase: 3, cancel: false, endedBy: 't1' },
    d2: { state: 'queued', phase: -1, cancel: false },
  };
  const past = PHASES.map((name, phase) => ({
    what: `goes back to when d1 was in ${name}`,
    redis: { ...EMPTY, claim: 'd1', fence, d1: { state: 'running' as const, phase, cancel: false } },
  }));
  const raised = { file: { fence: 1, token: 't1', number: 1 }, top: { fence: 1, token: 't1' } };
  return {
    ...firstWorld(left),
    redis,
    before: copyRedis(redis),
    past,
    nodes: [
      { ...nodeWith(['d1+']), ...raised },
      { ...nodeWith(['d1']), ...raised },
    ],
    takings: 1,
  };
}

function nodeWith(containers: string[]): Node {
  return { file: undefined, top: undefined, containers, running: [], inbox: [] };
}

/** Deployments are numbered as they are admitted. */
export function numberOf(uid: string): number {
  return Number(uid.slice(1));
}

/** Tokens count the takings. */
export function isNewer(token: string, other: string): boolean {
  return Number(token.slice(1)) > Number(other.slice(1));
}

export function copy(world: World): World {
  const [first, second] = world.nodes;
  const [one, other] = world.workers;
  return {
    ...world,
    redis: copyRedis(world.redis),
    before: copyRedis(world.before),
    nodes: [copyNode(first), copyNode(second)],
    workers: [copyWorker(one), copyWorker(other)],
    left: { ...world.left },
  };
}

export function copyRedis(redis: Redis): Redis {
  return { ...redis, d1: redis.d1 && { ...redis.d1 }, d2: redis.d2 && { ...redis.d2 } };
}

function copyNode(node: Node): Node {
  return {
    ...node,
    containers: [...node.containers],
    running: node.running.map((each) => ({ ...each })),
    inbox: node.inbox.map((each) => ({ ...each })),
  };
}

function copyWorker(worker: Worker): Worker {
  return {
    ...worker,
    rec: { ...worker.rec },
    raised: [...worker.raised],
    abort: worker.abort && [...worker.abort],
  };
}

/**
 * The same for two worlds that differ only in which worker is called the first: they are alike, and nothing else names
 * them, as messages and leases carry tokens.
 */
export function keyOf({ redis, before, nodes, workers, takings, left, memoryLost }: World): string {
  const [one, other] = [workerKey(workers[0]), workerKey(workers[1])];
  const both = one < other ? `${one}|${other}` : `${other}|${one}`;
  const { troubles, lapse, taking, crash, lostAnswer, memory, cancel, second } = left;
  const more = `${takings}${memoryLost ? 1 : 0}${troubles}${lapse}${taking}${crash}${lostAnswer}${memory}${cancel}${second}`;
  const past = troubles > 0 && memory > 0 ? redisKey(before) : '';
  return `${more}|${redisKey(redis)}|${past}|${nodeKey(nodes[0])}|${nodeKey(nodes[1])}|${both}`;
}

function redisKey({ claim, lease, fence, d1, d2 }: Redis): string {
  return `${claim},${lease},${fence},${recKey(d1)},${recKey(d2)}`;
}

function recKey(rec: Rec | null): string {
  return rec ? `${rec.state.slice(0, 2)}${rec.phase}${rec.cancel ? 'c' : ''}${rec.endedBy ?? ''}` : '';
}

function nodeKey({ file, top, containers, running, inbox }: Node): string {
  const raised = file ? `${file.fence}${file.token}${file.number}` : '';
  const highest = top && (top.fence !== file?.fence || top.token !== file.token) ? `${top.fence}${top.token}` : '';
  return `${raised},${highest},${sorted(containers)},${sorted(running.map(messageKey))},${sorted(inbox.map(messageKey))}`;
}

function sorted(words: string[]): string {
  return words.length < 2 ? (words[0] ?? '') : words.toSorted().join(' ');
}

function messageKey({ what, of, target, fence, token, awaited }: Message): string {
  return `${what}${of}${target}${fence}${token}${awaited ? '' : '-'}`;
}

function workerKey({ at, uid, token, fence, knows, rec, raised, told, abort }: Worker): string {
  return at === 'idle'
    ? ''
    : `${at}${uid}${token}${fence}${knows}${recKey(rec)}${raised.join('')}${told}${abort?.join(' ') ?? '-'}`;
}
