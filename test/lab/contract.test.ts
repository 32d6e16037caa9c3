import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Plan } from '../../src/cluster/plan.ts';
import { sshTransport } from '../../src/cluster/remote/ssh-transport.ts';
import type { Transport } from '../../src/cluster/remote/transport.ts';
import type { Cluster } from '../../src/config/cluster-file.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { resolveCluster } from '../../src/config/resolve-cluster.ts';
import { planFrom } from '../../src/jobs/prepare.ts';
import { startPretendSparks } from '../../src/local/sparks/pretend-sparks.ts';
import {
  type Answers,
  cancelWhileLoading,
  endOfAWorker,
  lifeOfADeploy,
  recorded,
  refusalsOf,
} from './support/contract.ts';
import { cleanHosts } from './support/lab.ts';
import { writeLabConfig } from './support/lab-place.ts';

// The pretend Sparks are worth as much as they answer like real hosts.

interface Side {
  plan: Plan;
  cluster: Cluster;
  transport: Transport;
  answers: Answers;
}

const over = new AbortController();
const undo: (() => Promise<void>)[] = [];
let lab: Side;
let pretend: Side;

beforeAll(async () => {
  await cleanHosts();
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-contract-'));
  undo.push(() => rm(folder, { recursive: true, force: true }), cleanHosts);
  await writeLabConfig(folder);
  const config = await readConfig(folder);
  lab = sideOf(resolveCluster(config, { name: 'spark' }), await planOf(folder));

  const sparks = await startPretendSparks({ folder, loadSeconds: 1 });
  undo.push(sparks.stop);
  await writeLabConfig(folder, { cluster: sparks.clusterFile() });
  pretend = sideOf({ name: 'spark', ...sparks.clusterFile() }, await planOf(folder));
});

afterAll(async () => {
  over.abort();
  await lab.transport.close();
  await pretend.transport.close();
  for (const each of undo.toReversed()) await each();
});

async function planOf(folder: string): Promise<Plan> {
  return planFrom(await readConfig(folder), { recipe: 'qwen35', overrides: {} }).plan;
}

function sideOf(cluster: Cluster, plan: Plan): Side {
  const answers: Answers = {};
  return { cluster, plan, answers, transport: recorded(sshTransport(cluster, { connectMs: 10_000 }), answers) };
}

/** By exit codes. How often one polls depends on its speed, so a look may be sent to one alone: 'docker top' is compared below. */
function expectSameAnswers(): void {
  const codesOf = ({ answers }: Side) =>
    Object.entries(answers)
      .filter(([name]) => name !== 'docker top')
      .map(
        ([name, codes]) =>
          [name, [...new Set(codes.map((code) => endOf(name, code)))].toSorted((a, b) => a - b)] as const,
      );
  expect(Object.fromEntries(codesOf(pretend))).toEqual(Object.fromEntries(codesOf(lab)));
}

/** What polls inside a container that is removed is killed (137), or sees Ray end before that (1). */
function endOf(name: string, code: number): number {
  return name === 'docker exec' && code === 1 ? 137 : code;
}

it('a deploy, its looks and its stop: the same exit codes, and the same for every reader', async () => {
  const life = ({ plan, cluster, transport }: Side) => lifeOfADeploy(plan, cluster, transport, over.signal);
  const real = await life(lab);
  const played = await life(pretend);

  expect(real.verdicts.filter((verdict) => !verdict.endsWith(' done'))).toEqual([]);
  expect(played).toEqual(real);
  expectSameAnswers();
});

it('a run that ends by itself reads the same words of its container', async () => {
  const text = 'The container on spark2 ended with code 2 before Ray had all nodes.';
  const end = { text, node: 'spark2', last: "Error: No such command 'nothing'." };
  expect(await endOfAWorker(lab.plan, lab.transport, over.signal)).toEqual(end);
  expect(await endOfAWorker(pretend.plan, pretend.transport, over.signal)).toEqual(end);
  expect(lab.answers['docker logs']).toContain(0);
  expectSameAnswers();
});

it('a cancel while loading: what comes late is refused, the rest undone, with the same exit codes', async () => {
  const end = { ended: 'Error: cancelled', refused: ['stale-fence', 'stale-fence'], left: [] };
  expect(await cancelWhileLoading(lab.plan, lab.transport, over.signal)).toEqual(end);
  expect(await cancelWhileLoading(pretend.plan, pretend.transport, over.signal)).toEqual(end);
  expect(lab.answers['true']).toEqual([75]);
  expectSameAnswers();
});

it('what Docker refuses is refused in the same way', async () => {
  const refused = ({ plan, transport }: Side) => refusalsOf(plan, transport, over.signal);
  expect(await refused(pretend)).toEqual(await refused(lab));
});
