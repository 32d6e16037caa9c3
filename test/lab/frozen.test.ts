import { expect, it, onTestFinished } from 'vitest';
import { eventually, say } from '../support/place.ts';
import { hold, type Hold } from './support/hold.ts';
import { type Host, IMAGE, onHost, ranOnHost, running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

type Product = Awaited<ReturnType<LabPlace['product']>>;

/** A changing command of the plan, as it stands in front of its node's lock, and what it does behind it. */
interface Change {
  what: string;
  host: Host;
  before: string;
  inside: { program: 'docker' | 'mv'; text: string };
}

const HOSTS: readonly Host[] = ['spark1', 'spark2'];
const raise = (host: Host): Change => ({
  what: 'raise',
  host,
  before: 'fence.sh raise',
  inside: { program: 'mv', text: '.fence.new' },
});
const image = (host: Host): Change => ({
  what: "preflight's image run",
  host,
  before: 'image-programs.sh',
  inside: { program: 'docker', text: 'run --rm --pull=never --name sparkops-programs' },
});
const remove = (host: Host): Change => ({
  what: 'removal of a leftover',
  host,
  before: 'rm --force sparkops-leftover',
  inside: { program: 'docker', text: 'rm --force sparkops-leftover' },
});
const start = (host: Host): Change => ({
  what: 'start of the container',
  host,
  before: 'start-container.sh',
  inside: { program: 'docker', text: 'run --user' },
});
const SERVE: Change = {
  what: 'start of the engine',
  host: 'spark1',
  before: 'start-serve.sh',
  inside: { program: 'docker', text: 'exec -d' },
};

/** A phase in which three processes stand still is given up, so each of them meets two. */
const ROUNDS: readonly (readonly Change[])[] = [raise, image].flatMap((first) =>
  HOSTS.flatMap((early) => HOSTS.map((late) => [first(early), remove(late), start('spark1'), start('spark2'), SERVE])),
);

interface Pause {
  round: number;
  what: string;
  host: Host;
  where: 'before' | 'inside';
  /** Lines that the node's log of refusals had more, once the process went on. */
  refused: number;
}

let place: LabPlace;
const pauses: Pause[] = [];

it.each(ROUNDS.map((changes, at) => ({ round: at + 1, changes })))(
  'round $round: who stood still before or inside a command, past its lease, changes nothing any more',
  { timeout: 600_000 },
  async ({ round, changes }) => {
    place = await startLabPlace();
    onTestFinished(() => place.stop());
    const leftover = '--label sparkops.realm=lab --label sparkops.deployment=leftover --label sparkops.number=7';
    const late = changes[1]?.host ?? 'spark1';
    await onHost(late, `docker run -d --name sparkops-leftover-${late} ${leftover} --entrypoint sleep ${IMAGE} 600`);
    let [works, waits] = [await place.product(), await place.product()];
    const held: Hold[] = [];
    const refusedBefore = new Map<Host, number>();
    try {
      let holds = await holdsOf(changes[0]);
      held.push(...holds);
      await say(place, '/spark deploy qwen35');
      for (const [at, change] of changes.entries()) {
        const [before, inside] = holds;
        if (!before || !inside) throw new Error('Nothing is held');
        // Whichever of the two was given the job.
        if (at === 0) [works, waits] = await whoWorks(works, waits);
        const { what, host } = change;
        await before.reached;
        const early = pause(works, { round, what, host, where: 'before', refused: 0 });
        await inside.reached;
        // The other one is inside; what the first has sent begins behind it.
        await before.release();
        pause(waits, { round, what, host, where: 'inside', refused: 0 });
        process.kill(works.pid, 'SIGCONT');
        await takesOver(works, 2);
        const next = changes[at + 1];
        holds = next ? await holdsOf(next) : [];
        held.push(...holds);
        await inside.release();
        process.kill(waits.pid, 'SIGCONT');
        await gaveUp(waits);
        await eventually(`the late ${what} is refused`, 60_000, async () => {
          const lines = (await refusals(host)).length;
          early.refused = lines - (refusedBefore.get(host) ?? 0);
          // A late raise is answered, not logged.
          if (what !== 'raise' && early.refused === 0) return false;
          refusedBefore.set(host, lines);
          return true;
        });
      }
    } finally {
      for (const each of held) await each.release();
      for (const { pid } of [works, waits]) process.kill(pid, 'SIGCONT');
    }
    const record = await place.ended(1, 240_000);
    expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
    expect(await running()).toEqual({
      spark1: [`sparkops-${record.uid}-spark1`],
      spark2: [`sparkops-${record.uid}-spark2`],
    });
    const engines = `grep -c 'Initializing a V1 LLM engine' ${record.plan.nodes[0].paths.run}/serve.log`;
    expect(await onHost('spark1', engines)).toBe('1');
    for (const host of HOSTS) {
      const stale = changes.filter((change) => change.host === host && change.what !== 'raise');
      expect(await refusals(host)).toEqual(stale.map(({ before }) => expect.stringContaining(before)));
    }
    print(pauses.filter((each) => each.round === round));
    expect(place.slack.violations).toEqual([]);
  },
);

it('at least 60 processes stood still', () => {
  print(pauses);
  expect(pauses.length).toBeGreaterThanOrEqual(60);
});

function pause({ pid }: Product, what: Pause): Pause {
  process.kill(pid, 'SIGSTOP');
  pauses.push(what);
  return what;
}

function print(rows: readonly Pause[]): void {
  const lines = rows.map(({ round, what, host, where, refused }) =>
    [round, host, where.padEnd(6), refused, what].join('  '),
  );
  process.stdout.write(`${['round  host  where  refused  command', ...lines].join('\n')}\n`);
}

/** Before the lock, for the first that comes; inside, for the next: the first is held already. */
async function holdsOf(change: Change | undefined): Promise<Hold[]> {
  if (!change) return [];
  const { host, before, inside } = change;
  const id = `${change.what}-${host}`.replaceAll(/\W+/g, '-');
  return [
    await hold(host, before, { program: 'flock', name: `${id}-before` }),
    await hold(host, inside.text, { program: inside.program, name: `${id}-inside` }),
  ];
}

async function whoWorks(one: Product, other: Product): Promise<[Product, Product]> {
  const first = await eventually('one of them runs it', 60_000, () => [one, other].find((each) => runs(each) > 0));
  return first === one ? [one, other] : [other, one];
}

function runs({ log }: Product): number {
  return log.filter(({ msg }) => msg === 'This process runs the deployment').length;
}

const stops = new WeakMap<Product, number>();

async function gaveUp(product: Product): Promise<void> {
  const already = stops.get(product) ?? 0;
  const count = () =>
    product.log.filter(({ msg }) => msg === 'Another process acts for this deployment now; nothing is undone here')
      .length;
  await eventually('the one that stood still gives up', 60_000, () => count() > already);
  stops.set(product, count());
}

const begun = new WeakMap<Product, number>();

async function takesOver(product: Product, least: number): Promise<void> {
  const already = begun.get(product) ?? least - 1;
  await eventually('the one that went on takes over', 60_000, () => runs(product) > already);
  begun.set(product, runs(product));
}

async function refusals(host: Host): Promise<string[]> {
  const { stdout } = await ranOnHost(host, 'cat ~/.sparkops/refused.log 2>/dev/null');
  return stdout.split('\n').filter((line) => line !== '');
}
