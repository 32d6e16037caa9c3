import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const STAND_INS = fileURLToPath(new URL('../../../dist/local/sparks/stand-ins', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-tools-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function standIn(name: string, ...words: string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    const args = ['--', join(STAND_INS, `${name}.js`), folder, ...words];
    execFile(process.execPath, args, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }));
  });
}

describe('stand-ins for the tools that macOS lacks', () => {
  it('flock: one at a time, a limit for the wait, and a lock that a killed holder leaves is taken', async () => {
    const lock = join(folder, 'lock');
    const script = `echo in; sleep 0.3; echo out`;
    const [a, b] = await Promise.all([
      standIn('flock', '-o', '-E', '76', '-w', '5', lock, 'sh', '-c', `(${script}) >> ${folder}/order`),
      standIn('flock', '-o', '-E', '76', '-w', '5', lock, 'sh', '-c', `(${script}) >> ${folder}/order; exit 3`),
    ]);
    expect([a.code, b.code]).toEqual([0, 3]);
    expect((await standIn('flock', lock, 'cat', `${folder}/order`)).stdout).toBe('in\nout\nin\nout\n');
    const held = standIn('flock', lock, 'sh', '-c', `touch ${folder}/held; sleep 1`);
    await standIn('timeout', '5', 'sh', '-c', `until [ -e ${folder}/held ]; do sleep 0.02; done`);
    expect((await standIn('flock', '-o', '-E', '76', '-w', '0.1', lock, 'true')).code).toBe(76);
    expect((await held).code).toBe(0);
    await standIn('flock', lock, 'sh', '-c', 'kill -9 $PPID');
    expect((await standIn('flock', '-w', '1', lock, 'true')).code).toBe(0);
  });

  it('timeout: the command, or 124, or 137 when it does not listen', async () => {
    expect(await standIn('timeout', '-k', '5', '60', 'sh', '-c', 'echo done; exit 4')).toEqual({
      code: 4,
      stdout: 'done\n',
    });
    expect((await standIn('timeout', '0.1', 'sleep', '5')).code).toBe(124);
    expect((await standIn('timeout', '-k', '0.1', '2', process.execPath, '-e', LISTENS_TO_NOBODY)).code).toBe(137);
    expect((await standIn('timeout', '1', 'no-such-program')).code).toBe(127);
  });

  it('setsid: waits, unless told not to', async () => {
    expect(await standIn('setsid', 'sh', '-c', 'echo done; exit 4')).toEqual({ code: 4, stdout: 'done\n' });
    expect((await standIn('setsid', '-f', 'sh', '-c', 'exit 4')).code).toBe(0);
  });
});

const LISTENS_TO_NOBODY = `process.on('SIGTERM', () => undefined); setTimeout(() => undefined, 5000)`;
