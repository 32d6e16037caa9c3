import { afterEach, beforeEach, expect, it } from 'vitest';
import { foreignIn } from '../../src/cluster/probes/foreign.ts';
import { parseSections } from '../../src/cluster/probes/sections.ts';
import { type FakeDocker, fakeDocker, inspected } from '../support/fake-docker.ts';

const ID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

let node: FakeDocker;

/** As Docker fills in the format. */
function described(changes: Record<string, string> = {}): string {
  const fields = {
    id: ID,
    name: '/vllm_node',
    running: 'true',
    started: '2026-12-01T02:10:00.5Z',
    image: 'vllm/vllm-openai:v0.17',
    user: '',
    restart: 'unless-stopped',
    network: 'host',
    runtime: 'runc',
    requests: '[{"Driver":"","Count":-1,"DeviceIDs":null,"Capabilities":[["gpu"]],"Options":{}}]',
    devices: '[]',
    ports: '{}',
    args: '["serve","--api-key","sk-secret-argument","--port","8000"]',
    env: '["HF_TOKEN=hf_secretenvironment","NVIDIA_VISIBLE_DEVICES=all","PATH=/bin"]',
    labels: '{"token":"secret-label"}',
    mounts: '[{"Type":"bind","Source":"/home/secret-folder","Destination":"/x"}]',
    ...changes,
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

beforeEach(async () => {
  node = await fakeDocker();
  await node.answer(
    'ps',
    'all',
    `f00d|ours|Up 3 minutes|lab\n${ID}|vllm_node|Up 2 hours|\n${OTHER}|old|Exited (0) 1 hour ago|\n`,
  );
  await node.answer('inspect', 'ours', inspected());
  await node.answer('inspect', ID, described());
  await node.answer('top', 'ours', 'PID COMMAND\n1 ray start\n');
  await node.put('bin/nvidia-smi', '#!/bin/sh\ncat "$FAKE/apps" 2>/dev/null\n');
  await node.run('-c', ['chmod +x "$0"/bin/nvidia-smi', node.folder]);
});

afterEach(() => node.remove());

async function look(...ids: string[]) {
  const { stdout, code } = await node.send(
    ['node-facts.sh', 'foreign-facts.sh', 'foreign.sh'],
    ['lab', node.folder, ...ids],
  );
  expect(code).toBe(0);
  const sections = parseSections(stdout);
  return { stdout, sections, ...foreignIn(sections, { node: 'spark1', ports: [8000], ids }) };
}

it('names a container of somebody else, and lets nothing secret leave the node', async () => {
  const { foreign, stdout, problem } = await look();
  expect(foreign).toEqual([
    {
      node: 'spark1',
      kind: 'container',
      name: 'vllm_node',
      id: ID,
      image: 'vllm/vllm-openai:v0.17',
      user: 'root',
      ports: [8000],
      restart: 'unless-stopped',
      since: '2026-12-01T02:10:00.5Z',
    },
  ]);
  expect(problem).toBeUndefined();
  expect(stdout).not.toMatch(/secret/);
});

it('asks Docker once about all that others run, and not at all when there is none', async () => {
  await look();
  const calls = await node.run('-c', ['cat "$FAKE/calls"']);
  expect(calls.stdout.match(/^inspect --format id=/gm)).toHaveLength(1);
  expect(calls.stdout).toContain(`mounts={{json .Mounts}} ${ID}\n`);

  await node.answer('ps', 'all', 'f00d|ours|Up 3 minutes|lab\n');
  await node.put('calls', '');
  expect((await look()).foreign).toEqual([]);
  expect((await node.run('-c', ['cat "$FAKE/calls"'])).stdout).not.toMatch(/^inspect --format id=/m);
});

it('says why it can not tell, and passes over what has gone meanwhile', async () => {
  await node.answer('inspect', ID, undefined);
  expect(await look()).toMatchObject({ foreign: [] });
  expect((await look()).problem).toBeUndefined();
  await node.answer('inspect', ID, undefined, 'Error response from daemon: context deadline exceeded\n');
  expect((await look()).problem).toBe('Error response from daemon: context deadline exceeded');
});

it('knows when another sparkops renewed its fence', async () => {
  const state = `${node.folder}/other`;
  const theirs = {
    labels: '{"sparkops.deployment":"u9","sparkops.realm":"research"}',
    mounts: `[{"Type":"bind","Source":"/models"},{"Type":"bind","Source":"${state}/runs/u9abc"}]`,
  };
  await node.answer('inspect', ID, described(theirs));
  expect((await look()).foreign).toMatchObject([{ realm: 'research', fenceAge: 'unknown' }]);
  await node.put('other/fence', `research 7 token\nrenewed ${Math.floor(Date.now() / 1_000) - 40}\n`);
  const [found] = (await look()).foreign;
  expect(Number(found?.fenceAge)).toBeGreaterThanOrEqual(40);
  expect(Number(found?.fenceAge)).toBeLessThan(100);
  // Somebody else's fence says nothing of this one.
  await node.put('other/fence', 'third 7 token\nrenewed 1\n');
  expect((await look()).foreign[0]).not.toHaveProperty('fenceAge');
});

it('tells of a process on the GPU that is in no container: whose, since when, by name alone', async () => {
  await node.put('apps', `${process.pid}, 12288\n`);
  await node.answer('top', ID, 'PID\n');
  const { foreign, stdout } = await look();
  const user = (await node.run('-c', ['id -un'])).stdout.trim();
  expect(foreign.at(-1)).toMatchObject({
    kind: 'process',
    id: String(process.pid),
    user,
    ours: true,
    gpuMemory: 12_288,
  });
  expect(foreign.at(-1)?.start).toMatch(/^\d+$/);
  const since = Date.parse(foreign.at(-1)?.since ?? '');
  expect(Math.abs(since - (Date.now() - process.uptime() * 1_000))).toBeLessThan(30_000);
  expect(stdout).not.toContain('vitest');
});

it("takes no process of the realm's own containers for foreign, nor one that Docker says is in a foreign one", async () => {
  await node.put('apps', `${process.pid}, 12288\n`);
  await node.answer('top', 'ours', `PID COMMAND\n${process.pid} python3 serve\n`);
  expect((await look()).foreign.filter(({ kind }) => kind === 'process')).toEqual([]);
  await node.answer('top', 'ours', 'PID COMMAND\n1 ray start\n');
  await node.answer('top', ID, `PID\n${process.pid}\n`);
  expect((await look()).foreign).toMatchObject([{ name: 'vllm_node', gpuMemory: 12_288 }]);
});

it('looks at a container that has ended when it is asked for, and never at one of the realm', async () => {
  await node.answer('ps', 'all', `f00d|ours|Up 3 minutes|lab\n${OTHER}|old|Exited (0) 1 hour ago|\n`);
  await node.answer('inspect', OTHER, described({ id: OTHER, running: 'false', restart: 'always', requests: 'null' }));
  expect((await look()).foreign).toEqual([]);
  expect((await look(OTHER)).foreign).toMatchObject([{ id: OTHER, restart: 'always' }]);
  await node.answer('inspect', OTHER, described({ id: OTHER, running: 'false', restart: 'no' }));
  expect((await look(OTHER)).foreign).toEqual([]);
  await node.answer('ps', 'all', `${OTHER}|ours|Up 3 minutes|lab\n`);
  expect((await look(OTHER)).sections.get('foreign').lines).toEqual([]);
});
