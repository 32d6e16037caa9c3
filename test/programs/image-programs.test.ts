import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeDocker, type FakeDocker } from '../support/fake-docker.ts';

const PROGRAM = fileURLToPath(new URL('../../programs/image-programs.sh', import.meta.url));
const ARGS = ['sparkops-programs-lab', 'engine:1', 'ray', 'vllm'];
const RUN = 'run --rm --pull=never --name sparkops-programs-lab --network none --entrypoint sh engine:1 -c';

let docker: FakeDocker;
beforeEach(async () => {
  docker = await fakeDocker();
});
afterEach(() => docker.remove());

it('asks the image, and passes on what it says', async () => {
  await docker.answer('run', 'any', 'missing ray\n');
  expect(await docker.run(PROGRAM, ARGS)).toEqual({ code: 0, stdout: 'missing ray\n', stderr: '' });
  const asked = await readFile(`${docker.folder}/calls`, 'utf8');
  expect(asked.startsWith(RUN)).toBe(true);
  expect(asked.trim().endsWith(' sh ray vllm')).toBe(true);
});

it('fails as Docker does', async () => {
  await docker.answer('run', 'any', undefined, 'docker: Error response from daemon: No such image: engine:1\n');
  expect(await docker.run(PROGRAM, ARGS)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'docker: Error response from daemon: No such image: engine:1\n',
  });
});

it('removes one that was left behind, and asks again', async () => {
  await docker.answer('run', 'any', undefined, 'docker: Error response from daemon: Conflict. The container name\n');
  expect((await docker.run(PROGRAM, ARGS)).code).toBe(1);
  const calls = (await readFile(`${docker.folder}/calls`, 'utf8')).split('\n');
  expect(calls.filter((call) => /^(run|rm) /.test(call)).map((call) => call.split(' ')[0])).toEqual([
    'run',
    'rm',
    'run',
  ]);
  expect(calls).toContain('rm --force sparkops-programs-lab');
});
