import type { Guards } from './guards.ts';
import type { Step } from './search.ts';
import { copy, isNewer, numberOf, type Message, type Node, type Worker, type World } from './state.ts';
import { stopped } from './stopping.ts';

const REALM = 'lab';
const NAMES = ['spark1', 'spark2'] as const;

/** What the nodes do with what was sent to them. */
export function* nodeSteps(world: World, guards: Guards): Generator<Step> {
  for (const at of [0, 1] as const) {
    const node = world.nodes[at];
    for (let index = 0; index < node.inbox.length; index += 1) {
      const message = node.inbox[index];
      if (!message || !guards.lockIsFree(node.running.length)) continue;
      yield message.what === 'raise' ? raised(world, guards, at, index) : begun(world, guards, at, index);
    }
    for (let index = 0; index < node.running.length; index += 1) yield finished(world, guards, at, index);
  }
}

/** Under the lock, so in one step with its answer. */
function raised(world: World, guards: Guards, at: 0 | 1, index: number): Step {
  const next = copy(world);
  const node = next.nodes[at];
  const message = taken(node.inbox, index);
  const { fence, token } = message;
  const ask = { realm: REALM, fence, token, number: numberOf(message.of), run: 'deploy' as const };
  const { answer, file } = guards.answerRaise(textOf(node), ask, 0);
  const by = awaitedBy(next, message);
  const label = `${NAMES[at]}: raise ${fence} ${token} -> ${answer}`;
  if (answer === 'written') {
    node.file = { fence, token, number: numberIn(file) };
    const { top } = node;
    if (!top || fence > top.fence || (fence === top.fence && isNewer(token, top.token))) node.top = { fence, token };
    answered(next, guards, by, at, 'ok');
    const older = node.running.find((each) => each.token !== token || each.fence < fence);
    return {
      label,
      next,
      ...(older && { violation: `${NAMES[at]} has raised ${fence} ${token} while ${words(older)} still runs` }),
    };
  }
  const [word = '', told] = answer.split(' ');
  const worker = next.workers[by];
  if (worker && word !== 'newer') worker.told = Math.max(worker.told, Number(told));
  answered(next, guards, by, at, word === 'newer' ? 'newer' : 'refused');
  return { label, next };
}

function begun(world: World, guards: Guards, at: 0 | 1, index: number): Step {
  const next = copy(world);
  const node = next.nodes[at];
  const message = taken(node.inbox, index);
  const { fence, token } = message;
  if (!guards.guardLets(textOf(node), { realm: REALM, fence, token })) {
    stopped(next, guards, awaitedBy(next, message), { why: 'lease-lost' });
    return { label: `${NAMES[at]} refuses ${words(message)}`, next };
  }
  node.running.push(message);
  const why = wrongToBegin(world, node, message);
  return {
    label: `${NAMES[at]} begins ${words(message)}`,
    next,
    ...(why !== undefined && { violation: `${NAMES[at]} begins ${words(message)}, though ${why}` }),
  };
}

function wrongToBegin({ redis, memoryLost }: World, { top }: Node, message: Message): string | undefined {
  const { fence, token, of, what, target } = message;
  if (top && (fence < top.fence || (fence === top.fence && token !== top.token))) {
    return `a raise of ${top.fence} ${top.token} has returned there`;
  }
  const removesOwn = what === 'remove' && target === of;
  const rec = redis[of];
  if (rec?.state !== 'cancelled' || removesOwn) return undefined;
  // A store that goes back makes an older worker the holder again; the newer one learns of it at its next renewal.
  const revived = memoryLost && rec.endedBy !== undefined && isNewer(token, rec.endedBy);
  return revived ? undefined : `${of} has ended as cancelled`;
}

function finished(world: World, _guards: Guards, at: 0 | 1, index: number): Step {
  const next = copy(world);
  const node = next.nodes[at];
  const message = taken(node.running, index);
  const { what, target } = message;
  const had = node.containers.find((name) => name.startsWith(target));
  if (what === 'start' && !had) node.containers.push(target);
  if (what === 'remove') node.containers = node.containers.filter((name) => name !== had);
  if (what === 'serve' && had === target)
    node.containers = node.containers.map((name) => (name === target ? `${target}+` : name));
  const worker = next.workers[awaitedBy(next, message)];
  if (worker?.at === 'sent') worker.at = 'work';
  const why = wrongAfter(next, message);
  return { label: `${NAMES[at]} ends ${words(message)}`, next, ...(why !== undefined && { violation: why }) };
}

function wrongAfter({ nodes, redis, memoryLost }: World, { what, of, target, token }: Message): string | undefined {
  // d2 was approved to replace d1, which nobody has asked about d2.
  if (what === 'remove' && numberOf(target) > numberOf(of)) return `${of} has removed ${target}, which came after it`;
  const uids = new Set(nodes.flatMap(({ containers }) => containers.map((name) => name.slice(0, 2))));
  if (uids.has('d1') && uids.has('d2')) return 'containers of two deployments run at once';
  const undone = what === 'remove' && target === of && redis[of]?.state === 'running';
  if (undone && redis.claim === of && redis.lease !== null && redis.lease !== token && !memoryLost) {
    return `${token} has removed what ${redis.lease} goes on with`;
  }
  return undefined;
}

/** -1: by none any more. */
function awaitedBy({ workers }: World, { token, awaited }: Message): number {
  return awaited ? workers.findIndex((worker) => worker.token === token) : -1;
}

/** Once both nodes have answered it goes on, takes a higher fence, or ends. */
function answered(world: World, guards: Guards, by: number, at: 0 | 1, answer: Worker['raised'][0]): void {
  const worker = world.workers[by];
  if (!worker) return;
  worker.raised[at] = answer;
  if (worker.raised.includes('sent') || worker.raised.includes('no')) return;
  if (worker.raised.includes('newer')) {
    stopped(world, guards, by, {
      why: 'superseded',
      by: 2,
      cause: { text: 'd2 has acted since', lines: [] },
      remedy: '',
    });
  } else if (worker.raised.includes('refused')) worker.at = 'higher';
  else {
    worker.at = 'work';
    worker.told = 0;
  }
}

function taken(from: Message[], index: number): Message {
  const [message] = from.splice(index, 1);
  if (!message) throw new Error('No such message');
  return message;
}

function textOf({ file }: Node): string | undefined {
  return file && `${REALM} ${file.fence} ${file.token}\nrenewed 0\nnumber ${file.number}\n`;
}

function numberIn(text: string | undefined): number {
  return Number(/^number (\d+)$/m.exec(text ?? '')?.[1]);
}

function words({ what, of, target, fence, token }: Message): string {
  return `${what} ${target}${target === of ? '' : ` for ${of}`} (${fence} ${token})`;
}
