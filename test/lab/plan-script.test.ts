import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHosts, onHost, ranOnHost, running, STATE } from './support/lab.ts';
import { writeLabConfig } from './support/lab-place.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const run = promisify(execFile);

let folder: string;
beforeEach(async () => {
  await cleanHosts();
  folder = await mkdtemp(join(tmpdir(), 'sparkops-script-'));
  await writeLabConfig(folder);
  // What a person has on the head who goes on to the worker from there.
  for (const name of ['id_ed25519', 'known_hosts']) {
    await onHost('spark1', `umask 077 && cat >~/.ssh/${name}`, await readFile(`${STATE}/${name}`, 'utf8'));
  }
});
afterEach(async () => {
  await onHost('spark1', 'rm -f ~/.ssh/id_ed25519 ~/.ssh/known_hosts ~/plan.sh');
  await cleanHosts();
  await rm(folder, { recursive: true, force: true });
});

it('serves and answers when it is run by hand on the head, and removes what it started', async () => {
  const { stdout: script } = await run(process.execPath, [CLI, 'plan', 'qwen35', '--script', '--config', folder]);
  await onHost('spark1', 'cat >plan.sh', script);

  const launched = await ranOnHost('spark1', 'sh plan.sh');
  expect(launched.stderr).toBe('');
  expect(launched.exitCode).toBe(0);
  for (const address of ['192.168.200.12', '192.168.200.13']) {
    expect(launched.stdout).toContain(`"address":"${address}"`);
  }
  const endpoint = /serves at (\S+)/.exec(launched.stdout)?.[1] ?? '';
  expect(await onHost('spark1', `curl -sf ${endpoint}/models`)).toContain('"id"');
  const names = await running();
  expect(names).toEqual({
    spark1: [expect.stringMatching(/^sparkops-\w+-spark1$/)],
    spark2: [names.spark1[0]?.replace(/spark1$/, 'spark2')],
  });

  expect(await ranOnHost('spark1', 'sh plan.sh')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('A check failed. Nothing was changed.'),
  });
  expect(await running()).toEqual(names);

  expect(await ranOnHost('spark1', 'sh plan.sh remove')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await onHost('spark1', 'docker ps -aq')).toBe('');
  expect(await onHost('spark2', 'docker ps -aq')).toBe('');
});
