import { foreignPrograms } from '../src/cluster/probes/foreign.ts';
import { type Host, labUp } from '../test/lab/support/lab.ts';
import type { DeployTime } from './deploy-time.ts';
import { type Floor, openFloor } from './floor.ts';
import { openProduct, type Product } from './product.ts';
import { median, quantile, tableText } from './spread.ts';

// npm run bench [-- RUNS]: 7 when left out. The product on the lab beside floor.sh on the same hosts; prints tables.
const runs = Number(process.argv[2] ?? 7);
const HOSTS: readonly Host[] = ['spark1', 'spark2'];
const LOOKS = 15;
const AT_ONCE = 50;

await labUp();
const floor = await openFloor();
const product = await openProduct().catch(async (error: unknown) => {
  await floor.close();
  throw error;
});
try {
  await compareDeploys(product, floor);
  await compareStatus(product, floor);
  await acknowledge(product);
} finally {
  await product.close();
  await floor.close();
}

async function compareDeploys(product: Product, floor: Floor): Promise<void> {
  const ours: DeployTime[] = [];
  const floors: DeployTime[] = [];
  for (let run = 0; run < runs; run++) {
    floors.push(await floor.deploy());
    ours.push(await product.deploy());
    // The last one stays, for status.
    if (run < runs - 1) await product.stop();
  }
  const [one, other] = [ours, floors].map((all) => median(all.map(around)));
  print(
    ['deploy without the engine', ...ours.map((_, run) => `${run + 1}`), 'median'],
    [
      ['sparkops', ...ours.map((each) => seconds(around(each))), seconds(one)],
      ['floor.sh', ...floors.map((each) => seconds(around(each))), seconds(other)],
      ['ratio', ...ours.map(() => ''), ratio(one, other)],
    ],
  );
  for (const [name, all] of [
    ['sparkops', ours],
    ['floor.sh', floors],
  ] as const) {
    const steps = all[0]?.steps.map(({ name: step }) => step) ?? [];
    const of = (step: string) => median(all.map((each) => each.steps.find((one) => one.name === step)?.ms ?? 0));
    print(
      [`${name}, medians`, ...steps, "the engine's own"],
      [['', ...steps.map((step) => seconds(of(step))), seconds(median(all.map(({ engine }) => engine)))]],
    );
  }
}

async function compareStatus(product: Product, floor: Floor): Promise<void> {
  const program = foreignPrograms('status.sh');
  const ours: number[] = [];
  const floors: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    ours.push(await product.status());
    // At once, as sparkops asks them: both hosts share this machine.
    const each = HOSTS.map((host) => floor.program(host, program, ['lab', '/home/aurora/.sparkops']));
    floors.push(Math.max(...(await Promise.all(each))));
  }
  const slowest = median(floors);
  print(
    ['status', 'median'],
    [
      ['sparkops, command to answer', `${median(ours).toFixed(0)} ms`],
      ["the slowest node's own script", `${slowest.toFixed(0)} ms`],
      ['ratio', ratio(median(ours), slowest)],
    ],
  );
}

async function acknowledge(product: Product): Promise<void> {
  const all = await product.acknowledgements(AT_ONCE);
  const cell = (share: number) => `${quantile(all, share).toFixed(0)} ms`;
  print([`acknowledgement, ${AT_ONCE} at once`, 'p50', 'p99'], [['', cell(0.5), cell(0.99)]]);
}

function around({ all, engine }: DeployTime): number {
  return all - engine;
}

function seconds(ms = 0): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function ratio(ours = 0, floor = 0): string {
  return (ours / floor).toFixed(2);
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`${tableText(head, rows)}\n`);
}
