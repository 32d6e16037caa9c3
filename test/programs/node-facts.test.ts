import { afterEach, beforeEach, expect, it } from 'vitest';
import { containersIn } from '../../src/cluster/probes/containers.ts';
import { parseSections } from '../../src/cluster/probes/sections.ts';
import { type FakeDocker, fakeDocker, inspected } from '../support/fake-docker.ts';

let node: FakeDocker;

beforeEach(async () => {
  node = await fakeDocker();
  await node.answer('ps', 'all', 'f00d|c1|Up 3 minutes|lab\n');
  await node.answer('inspect', 'c1', inspected());
  await node.answer('top', 'c1', `PID COMMAND\n1 ray start\n9 python3 ${node.folder}/runs/u1/serve.py x\n`);
});

afterEach(() => node.remove());

async function look(program = 'containers.sh', ...more: string[]) {
  const { stdout, code } = await node.send(
    ['node-facts.sh', 'foreign-facts.sh', program],
    ['lab', node.folder, ...more],
  );
  expect(code).toBe(0);
  const sections = parseSections(stdout);
  return { stdout, sections, containers: containersIn(sections, 'spark1') };
}

it('tells of a live engine, with its record when asked', async () => {
  await node.put('runs/u1/serve.started', 'f00d 2026-12-01T10:00:00.5Z\n');
  await node.put('runs/u1/deployment.json', '{"number":141}');
  const { containers } = await look('containers.sh', 'records');
  expect(containers).toEqual([
    {
      name: 'c1',
      id: 'f00d',
      uid: 'u1',
      number: 141,
      recipe: '',
      running: true,
      startedAt: '2026-12-01T10:00:00.5Z',
      finishedAt: '',
      exitCode: 0,
      outOfMemory: false,
      engine: 'alive',
      serveStarted: { id: 'f00d', startedAt: '2026-12-01T10:00:00.5Z' },
      record: '{"number":141}',
    },
  ]);
  const [without] = (await look()).containers;
  expect(without).not.toHaveProperty('record');
});

it('lets no environment leave the node, nor be taken for a field', async () => {
  const { stdout, containers } = await look();
  expect(stdout).not.toContain('hf_secret');
  expect(containers[0]?.running).toBe(true);
});

it('knows an engine by its deployment, whatever the state folder was at its start', async () => {
  await node.answer('top', 'c1', 'PID COMMAND\n9 python3 /elsewhere/runs/u1/serve.py x\n');
  expect((await look()).containers[0]?.engine).toBe('alive');
});

it.each<[string, () => Promise<void>, string]>([
  ['none when it has ended', () => node.put('runs/u1/serve.exit', '1\n'), 'none'],
  ['none without its process', () => node.answer('top', 'c1', 'PID COMMAND\n1 ray start\n'), 'none'],
  ['none in a container that ended', () => node.answer('inspect', 'c1', inspected({ running: false })), 'none'],
  ['unknown when nobody can look', () => node.answer('top', 'c1', undefined, 'timeout'), 'unknown'],
])('calls an engine %s', async (_, change, engine) => {
  await change();
  expect((await look()).containers[0]?.engine).toBe(engine);
});

it('reports a container that went meanwhile, and a Docker that is silent', async () => {
  await node.answer('inspect', 'c1', undefined);
  expect((await look()).containers).toEqual([]);
  await node.answer('ps', 'all', undefined, 'Cannot connect to the Docker daemon');
  await expect(look()).rejects.toThrow("spark1 can't list its containers.");
});

it('reads all for preflight without needing anything', async () => {
  const { sections } = await look('preflight.sh', 'image:1');
  const names = sections.all.map(({ name }) => name);
  expect(names.slice(0, 9)).toEqual([
    'docker',
    'image',
    'gpus',
    'addresses',
    'tool flock',
    'tool timeout',
    'tool setsid',
    'containers',
    'container c1',
  ]);
  expect(names).toEqual(expect.arrayContaining(['foreign', 'gpu-apps', 'listeners']));
});

it('reads the status', async () => {
  const { sections } = await look('status.sh');
  const names = sections.all.map(({ name }) => name);
  expect(names.slice(0, 4)).toEqual(['gpu', 'containers', 'container c1', 'foreign']);
});
