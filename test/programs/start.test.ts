import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeDocker, fakeDocker, inspected } from '../support/fake-docker.ts';

const program = (name: string) => fileURLToPath(new URL(`../../programs/${name}`, import.meta.url));
let node: FakeDocker;
let run: string;

beforeEach(async () => {
  node = await fakeDocker();
  run = join(node.folder, 'runs/u1');
});

afterEach(() => node.remove());

const calls = () => readFile(join(node.folder, 'calls'), 'utf8');
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('starts a container with secrets that nothing keeps', async () => {
  const result = await node.run(
    program('start-container.sh'),
    [run, '--', 'docker', 'run', '-d', 'image', "it's"],
    'HF_TOKEN=hf_x\n',
  );
  expect(result.code).toBe(0);
  expect(await readFile(join(node.folder, 'seen-env'), 'utf8')).toBe('HF_TOKEN=hf_x\n');
  expect(await calls()).toMatch(new RegExp(`^run --user \\d+:\\d+ --env-file ${run}/env -d image it's\n$`));
  await expect(stat(join(run, 'env'))).rejects.toThrow('ENOENT');
  expect(await mode(run)).toBe('700');
  expect(await readFile(join(run, 'serve.py'), 'utf8')).toContain('serve.exit');
});

it('writes a line of standard input to each file before it starts the container', async () => {
  const files = ['deployment.json', 'vllm/names.json'].map((name) => join(run, name));
  const lines = ['{"a":"\\\\ é"}', ' ["X"]'];
  const result = await node.run(
    program('start-container.sh'),
    [run, ...files, '--', 'docker', 'run', 'image'],
    `${lines.join('\n')}\nHF_TOKEN=hf_x\n`,
  );
  expect(result.code).toBe(0);
  expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(lines.map((line) => `${line}\n`));
  expect(await mode(files[0] ?? '')).toBe('600');
  expect(await readFile(join(node.folder, 'seen-env'), 'utf8')).toBe('HF_TOKEN=hf_x\n');
  expect((await node.run(program('start-container.sh'), [run, ...files, '--', 'docker', 'run', 'x'], 'one')).code).toBe(
    1,
  );
});

it('leaves no secrets behind when the container can not be started', async () => {
  await node.answer('run', 'any', undefined, 'Conflict. The container name is in use');
  const result = await node.run(
    program('start-container.sh'),
    [run, '--', 'docker', 'run', 'image'],
    'HF_TOKEN=hf_x\n',
  );
  expect(result).toMatchObject({ code: 1, stderr: 'Conflict. The container name is in use' });
  await expect(stat(join(run, 'env'))).rejects.toThrow('ENOENT');
});

it('runs nothing but docker run', async () => {
  expect((await node.run(program('start-container.sh'), [run, '--', 'docker', 'rm', 'x'])).code).toBe(64);
});

it('puts a file whole, for us alone', async () => {
  const path = join(node.folder, 'new/folder/file.json');
  expect((await node.run(program('put-file.sh'), [path], '{"a":"é"}\n')).code).toBe(0);
  expect(await readFile(path, 'utf8')).toBe('{"a":"é"}\n');
  expect(await mode(path)).toBe('600');
});

it('starts the engine once, and records in which start of the container', async () => {
  await node.answer('inspect', 'c1', inspected());
  await node.answer('top', 'c1', 'PID COMMAND\n1 ray start\n');
  await node.put('runs/u1/serve.exit', '1\n');
  const start = () => node.run(program('start-serve.sh'), ['c1', run, '--', 'vllm', 'serve', 'a b']);

  expect((await start()).code).toBe(0);
  expect(await calls()).toContain(`exec -d c1 python3 ${run}/serve.py ${run} -- vllm serve a b\n`);
  expect(await readFile(join(run, 'serve.started'), 'utf8')).toBe('f00d 2026-12-01T10:00:00.5Z\n');
  await expect(stat(join(run, 'serve.exit'))).rejects.toThrow('ENOENT');

  await node.answer('top', 'c1', `PID COMMAND\n9 python3 ${run}/serve.py\n`);
  expect((await start()).code).toBe(0);
  expect((await calls()).match(/^exec /gm)).toHaveLength(1);
});

it.each([
  ['the processes can not be listed', 'top', 'c1'],
  ['docker exec fails', 'exec', 'c1'],
])('records no engine when %s', async (_, verb, name) => {
  await node.put('runs/u1/deployment.json', '{}');
  await node.answer('inspect', 'c1', inspected());
  await node.answer('top', 'c1', 'PID COMMAND\n');
  await node.answer(verb, name, undefined, 'no');
  expect((await node.run(program('start-serve.sh'), ['c1', run, '--', 'vllm'])).code).not.toBe(0);
  await expect(stat(join(run, 'serve.started'))).rejects.toThrow('ENOENT');
});
