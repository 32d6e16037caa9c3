import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeContainers, startContainer, stopContainer } from '../src/cluster/docker.ts';
import { containersIn } from '../src/cluster/probes/containers.ts';
import { parseSections } from '../src/cluster/probes/sections.ts';
import { run } from '../src/cluster/remote/command.ts';
import { installedPrograms, programPath, programText } from '../src/cluster/remote/programs.ts';
import { applyOverrides } from '../src/config/apply-overrides.ts';
import { readConfig } from '../src/config/load-config.ts';
import { OperatorError } from '../src/errors.ts';
import { foreignCalled } from '../src/jobs/foreign.ts';
import { writeHeadFiles } from '../src/jobs/head-outbox/head-files.ts';
import { lookAtLogs } from '../src/jobs/looks/look-at-logs.ts';
import type { Looking } from '../src/jobs/looks/run-look.ts';
import { openTransports } from '../src/jobs/transports.ts';
import { CLUSTER, configFolder, RECIPE } from './config/folder.ts';
import { fakeTransport } from './support/fake-transport.ts';
import { localShell } from './support/local-shell.ts';
import { cluster, recipe, renderedPlan } from './support/rendered-plan.ts';

const HOSTILE = [
  '--privileged',
  '-v/:/host',
  '../../etc',
  'a/../../etc',
  'a b',
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  "'; touch pwned; '",
  'a\ntouch pwned',
  'a\r\u001B[2Ja',
  'a\u202Egnp.b',
  '\uFF0D\uFF0Dprivileged',
  'a\u2028b',
  '*',
  '',
];

const limits = () => ({ signal: new AbortController().signal, limitMs: 10_000 });

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'sparkops-hostile-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test.each(HOSTILE)('%j goes through a real shell as one word', async (word) => {
  const shell = localShell();
  const { stdout } = await shell.exec('spark1', run('printf', '%s\\0', 'before', word, 'after'), limits());
  expect(stdout).toBe(`before\0${word}\0after\0`);
});

test.each(HOSTILE)('a configuration with %j for a name says what is wrong, on one line', async (word) => {
  const quoted = JSON.stringify(word);
  const places: Record<string, Record<string, string>> = {
    node: { 'clusters/spark.yaml': CLUSTER.replace('name: spark2', `name: ${quoted}`) },
    address: { 'clusters/spark.yaml': CLUSTER.replace('address: 10.1.230.180', `address: ${quoted}`) },
    interface: { 'clusters/spark.yaml': CLUSTER.replace('interface: enp1s0f0np0', `interface: ${quoted}`) },
    user: { 'clusters/spark.yaml': CLUSTER.replace('user: aurora', `user: ${quoted}`) },
    path: { 'clusters/spark.yaml': CLUSTER.replace('state: /s', `state: ${JSON.stringify(`/s/${word}/..`)}`) },
    image: { 'recipes/model.yaml': RECIPE.replace('container: image:1', `container: ${quoted}`) },
    model: { 'recipes/model.yaml': RECIPE.replace('model: org/model', `model: ${quoted}`) },
    variable: { 'recipes/model.yaml': `${RECIPE}env: { ${quoted}: "1" }\n` },
    secret: { 'recipes/model.yaml': `${RECIPE}env: { A: ${JSON.stringify(`secret:${word}`)} }\n` },
    realm: { 'sparkops.yaml': `name: ${quoted}\n` },
  };
  const accepted: string[] = [];
  for (const [what, files] of Object.entries(places)) {
    const config = await configFolder(files);
    const refusal = await readConfig(config).then(
      (read) => [...read.brokenRecipes.values()].flat().map(({ wrong, right }) => `${wrong} ${right}`),
      (error: OperatorError) => error.lines,
    );
    if (refusal.length === 0) accepted.push(what);
    // oxlint-disable-next-line no-control-regex
    for (const line of refusal) expect(line).not.toMatch(/[\u0000-\u001F]/);
  }
  expect(accepted).toEqual([]);
});

test.each(['--privileged.yaml', 'a b.yaml', '$(id).yaml', 'a\nb.yaml', '-.yaml', 'Ä.yaml', '...yaml'])(
  'a file called %j is no recipe and no cluster',
  async (name) => {
    for (const [kind, text] of [
      ['recipes', RECIPE],
      ['clusters', CLUSTER],
    ]) {
      const config = await configFolder({ [`${kind}/${name}`]: text });
      const names = await readConfig(config).then(
        ({ recipes, clusters }) => [...recipes.keys(), ...clusters.keys()],
        (error: OperatorError) => (expect(error).toMatchObject({ code: 'config' }), ['model', 'spark']),
      );
      expect(names).toEqual(['model', 'spark']);
    }
  },
);

test.each(HOSTILE)('an override with the value %j is refused', (word) => {
  const served = {
    ...recipe,
    defaults: { served_model_name: 'qwen35' },
    command: ['vllm', '{served_model_name}'] as const,
  };
  const problem = () =>
    applyOverrides({ ...served, command: [...served.command] }, cluster, { served_model_name: word });
  expect(problem).toThrow(OperatorError);
  expect(problem).toThrow(/^served_model_name (can't be|has no value)/);
});

test.each(HOSTILE)('no docker command is made of a container or an image called %j', (word) => {
  const [head] = renderedPlan().nodes;
  const named = (change: object) => ({ ...head, container: { ...head.container, ...change } });
  expect(() => removeContainers([word])).toThrow('Not the name of a container');
  expect(() => stopContainer(word)).toThrow('Not the name of a container');
  expect(() => startContainer(named({ name: word }), 1)).toThrow('Not the name of a container');
  expect(() => startContainer(named({ image: word }), 1)).toThrow('Not the name of a image');
  expect(() => startContainer({ ...head, env: { [word]: '1' } }, 1)).toThrow('Not the name of a variable');
});

test.each(HOSTILE)('arguments and values of variables that hold %j reach docker as they are', async (word) => {
  const state = await folder();
  const [head] = renderedPlan().nodes;
  const node = {
    ...head,
    paths: { ...head.paths, state, run: `${state}/runs/u1` },
    env: { VALUE: word },
    container: { ...head.container, args: ['--served-model-name', word, 'end'] },
  };
  // What a raise installs.
  const programs = programPath(state, '');
  const install = `mkdir -p ${programs}; put() { cat >"${programs}/$1"; }; ${installedPrograms().puts}programs`;
  await localShell().exec('spark1', run('sh', '-s'), { ...limits(), stdin: install });
  await writeFile(join(state, 'docker'), `#!/bin/sh\nfor word; do printf '%s\\0' "$word"; done >'${state}/seen'\n`);
  await chmod(join(state, 'docker'), 0o700);
  const shell = localShell({ PATH: `${state}:${process.env['PATH']}` });
  const { exitCode, stderr } = await shell.exec('spark1', startContainer(node, 1), limits());
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const seen = (await readFile(join(state, 'seen'), 'utf8')).split('\0');
  expect(seen.slice(-5)).toEqual([node.container.image, '--served-model-name', word, 'end', ''].slice(-5));
  expect(seen[seen.indexOf(`VALUE=${word}`) - 1]).toBe('-e');
  expect(seen.filter((each) => each.includes('pwned')).length).toBe(word.includes('pwned') ? 2 : 0);
});

test.each(HOSTILE)('a hold whose reason is %j stays one line of one file on the head', async (word) => {
  const state = await folder();
  const head = { transport: localShell(), node: 'spark1', state, realm: 'lab', ...limits() };
  const text = JSON.stringify({ by: { team: 'T1', user: 'U1' }, reason: word });
  await writeHeadFiles(head, [`1 hold ${text}`, `2 audit ${text}`, `3 audit end`]);
  expect(JSON.parse(await readFile(join(state, 'hold-lab'), 'utf8'))).toMatchObject({ reason: word });
  expect((await readFile(join(state, 'audit-lab.log'), 'utf8')).split('\n')).toEqual([text, 'end', '']);
});

test.each(HOSTILE)('nothing of others is called %j', (word) => {
  const nodes = [{ node: 'spark1', foreign: [] }] as unknown as Parameters<typeof foreignCalled>[0][number]['nodes'];
  expect(() => foreignCalled([{ cluster: 'spark', nodes }], word)).toThrow(OperatorError);
});

test.each(HOSTILE)(
  'logs of a node called %j are refused, and that text to search for reaches no machine',
  async (word) => {
    const config = await readConfig(await configFolder());
    const shell = fakeTransport(() => `a line with ${word}\nanother\n`);
    const looking: Looking = {
      config: async () => config,
      transports: openTransports(() => shell),
      now: () => new Date(),
      ...limits(),
    };
    const deployment = { uid: 'abcdefghij', number: 1, head: 'spark1', ended: false };
    const request = { kind: 'logs' as const, cluster: 'spark', lines: 10, deployment };
    await expect(lookAtLogs(looking, { ...request, node: word })).rejects.toMatchObject({ code: 'unknown-name' });
    expect(shell.calls).toEqual([]);
    await lookAtLogs(looking, { ...request, grep: word });
    expect(shell.texts()).toEqual([
      expect.stringMatching(/^spark1: tail -n \d+ -- \/s\/runs\/abcdefghij\/serve\.log$/),
    ]);
  },
);

test.each(HOSTILE.filter((word) => !/[\n\r\u2028]/.test(word)))(
  'a label of a deployment that is %j names no folder',
  (word) => {
    const text = `# containers\n sparkops-x\n rc=0\n# container sparkops-x\n id=ab\n label-deployment=${word}\n rc=0\n`;
    expect(containersIn(parseSections(text), 'spark1')).toMatchObject([{ uid: 'unreadable' }]);
  },
);

test('the programs themselves hold no eval', () => {
  for (const name of ['start-container.sh', 'fence.sh', 'guard.sh', 'raise.sh', 'head-files.sh', 'node-facts.sh']) {
    expect(programText(name)).not.toMatch(/\beval\b/);
  }
});
