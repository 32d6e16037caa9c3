import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renderPlan } from '../../src/cluster/engines/render-plan.ts';
import { planScript } from '../../src/cluster/plan-script.ts';
import type { Cluster } from '../../src/config/cluster-file.ts';
import type { Recipe } from '../../src/config/recipe-file.ts';
import { Timeouts } from '../../src/config/sparkops-file.ts';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import { startPretendSparks, type PretendSparks } from '../../src/local/sparks/pretend-sparks.ts';
import { visit } from '../local/sparks/visitor.ts';

const run = promisify(execFile);
const timeouts = Timeouts.parse({ verify_ray: '10s', start_head: '10s', load: '20s', smoke: '10s' });

interface Place {
  sparks: PretendSparks;
  folder: string;
  cluster: Cluster;
}

async function place(faults: readonly FaultName[] = []): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-script-'));
  const sparks = await startPretendSparks({ folder, loadSeconds: 0.3, faults });
  onTestFinished(async () => {
    await sparks.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { sparks, folder, cluster: { name: 'spark', ...sparks.clusterFile() } };
}

function script({ sparks, cluster }: Pick<Place, 'sparks' | 'cluster'>, own: Partial<Recipe> = {}): string {
  const recipe: Recipe = {
    name: 'qwen35',
    description: '',
    model: 'Qwen/Qwen3.5-122B-A10B-FP8',
    runtime: 'vllm-ray',
    container: sparks.image,
    minNodes: 2,
    defaults: {},
    env: {},
    secrets: {},
    command: ['vllm'],
    ...own,
  };
  const plan = renderPlan({
    cluster,
    recipe,
    values: { tensor_parallel: 2 },
    argv: ['vllm', 'serve', recipe.model, '--served-model-name', 'qwen35', '-tp', '2'],
    overrides: {},
    uid: 'abcdefghi1',
    realm: 'lab',
    timeouts,
  });
  return planScript(plan, cluster, '1a2b3c4d');
}

/** Runs it on the head, which reaches the worker by an `ssh` that knows the way. */
async function byHand({ cluster, folder }: Place, text: string, ...words: string[]) {
  const [head = '', worker = ''] = ['spark1', 'spark2'].map((name) => join(folder, 'machines', name));
  const ssh = [
    '#!/bin/sh',
    'for text; do :; done',
    `cd ${worker}/home && exec env -i HOME=${worker}/home PATH=${worker}/bin USER=aurora PRETEND_SPARK=${worker} /bin/sh -c "$text"`,
  ].join('\n');
  await writeFile(join(head, 'bin/ssh'), `${ssh}\n`, { mode: 0o755 });
  const visitor = await visit(cluster);
  try {
    await visitor.run('spark1', 'cat >plan.sh', text);
    return await visitor.run('spark1', `sh plan.sh ${words.join(' ')}`);
  } finally {
    visitor.close();
  }
}

describe('the text', () => {
  test('is a POSIX script, and what people wrote in recipes stays data', async () => {
    const here = await place();
    const text = script(here, {
      env: { GREETING: `it's $(touch /tmp/x) \`id\` "quoted"\\`, OTHER: '$HOME; rm -rf /' },
      secrets: { HF_TOKEN: 'HF_TOKEN' },
    });
    await writeFile(join(here.folder, 'plan.sh'), text);
    await run('sh', ['-n', join(here.folder, 'plan.sh')]);
    expect(text).toContain('need_secrets HF_TOKEN');
    expect(text).not.toMatch(/HF_TOKEN=(?!%)/);
    await expect(run('sh', [join(here.folder, 'plan.sh')], { env: { PATH: process.env['PATH'] } })).rejects.toThrow(
      'HF_TOKEN is not set',
    );
  });

  test('a secret whose name is no variable is refused', async () => {
    const here = await place();
    expect(() => script(here, { secrets: { HF_TOKEN: '0;reboot' } })).toThrow("can't be named in a shell script");
  });
});

describe('by hand on the head', () => {
  test('checks, starts, verifies, serves, asks; and removes', async () => {
    const here = await place();
    const { sparks } = here;
    const text = script(here);

    const launched = await byHand(here, text);
    expect(launched.stderr).toBe('');
    expect(launched.exitCode).toBe(0);
    expect(launched.stdout).toContain('qwen35 serves at http://127.0.0.1:8000/v1');
    expect(sparks.engineUrl()).toBeDefined();
    const labels = sparks.containers('spark2').map((container) => container.labels);
    expect(labels).toMatchObject([
      { 'sparkops.realm': 'lab', 'sparkops.deployment': 'abcdefghi1', 'sparkops.number': '0' },
    ]);

    const again = await byHand(here, text);
    expect(again.exitCode).toBe(1);
    expect(again.stdout).toMatch(/FAILED\s+containers: sparkops-abcdefghi1-spark1 already runs/);
    expect(again.stderr).toContain('A check failed. Nothing was changed.');
    expect(sparks.engineUrl()).toBeDefined();

    expect((await byHand(here, text, 'remove')).exitCode).toBe(0);
    expect([...sparks.containers('spark1'), ...sparks.containers('spark2')]).toEqual([]);
  });

  test('a node at the wrong address is named, and everything is removed', async () => {
    const here = await place(['wrong-address']);
    const failed = await byHand(here, script(here));
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toMatch(/No node registered with Ray as 192\.168\.200\.1[23]\./);
    expect(failed.stderr).toContain('FAILED: Ray does not have exactly the nodes of the plan.');
    expect([...here.sparks.containers('spark1'), ...here.sparks.containers('spark2')]).toEqual([]);
  });
});
