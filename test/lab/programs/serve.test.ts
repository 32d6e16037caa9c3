import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const SERVE = fileURLToPath(new URL('../../../programs/serve.py', import.meta.url));
let run: string;

beforeEach(async () => {
  run = await mkdtemp(join(tmpdir(), 'serve-'));
});

afterEach(() => rm(run, { recursive: true, force: true }));

const start = (...argv: string[]) => spawn('python3', [SERVE, run, '--', ...argv], { stdio: 'ignore' });
const file = (name: string) => readFile(join(run, name), 'utf8');
const command = promisify(execFile);
const exit = () => vi.waitFor(() => file('serve.exit'), { timeout: 10_000, interval: 50 });

describe('serve.py', () => {
  it('keeps the output and the exit code', async () => {
    start('sh', '-c', 'echo out; echo err >&2; exit 3');
    expect(await exit()).toBe('3\n');
    expect(await file('serve.log')).toBe('out\nerr\n');
    expect(Number(await file('serve.pid'))).toBeGreaterThan(1);
    expect((await readdir(run)).toSorted()).toEqual(['serve.exit', 'serve.log', 'serve.pid']);
  });

  it('tells of a signal, and passes its own on', async () => {
    const serve = start('sh', '-c', 'echo up; exec sleep 60');
    await vi.waitFor(async () => expect(await file('serve.log')).toBe('up\n'), { timeout: 10_000, interval: 50 });
    serve.kill('SIGTERM');
    expect(await exit()).toBe('signal 15\n');
  });

  it('ends what the engine leaves behind', async () => {
    start('sh', '-c', 'sleep 60 & echo $! >"$0"/child; exit 0', run);
    expect(await exit()).toBe('0\n');
    const child = Number(await file('child'));
    await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow('ESRCH'), { timeout: 5_000 });
  });

  it('says when the program is not there', async () => {
    start('no-such-program');
    expect(await exit()).toBe('127\n');
    expect(await file('serve.log')).toBe('serve.py: no-such-program: No such file or directory\n');
  });

  it('loses lines on a full disk, and neither the engine nor its exit code', async () => {
    await command('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'small', run]);
    const mark = await mkdtemp(join(tmpdir(), 'serve-mark-'));
    try {
      start('sh', '-c', 'head -c 300000 /dev/zero; echo on >"$0"/mark; exit 3', mark);
      expect(await exit()).toBe('3\n');
      expect(await readFile(join(mark, 'mark'), 'utf8')).toBe('on\n');
      expect((await file('serve.log')).length).toBeGreaterThan(30_000);
    } finally {
      // Its writer may be on its way out.
      await command('umount', ['--lazy', run]);
      await rm(mark, { recursive: true, force: true });
    }
  });

  it('keeps two files of at most 50 MB', async () => {
    await writeFile(join(run, 'serve.log'), '');
    await truncate(join(run, 'serve.log'), 50 * 1024 * 1024 - 2);
    start('echo', 'hello');
    expect(await exit()).toBe('0\n');
    expect(await file('serve.log')).toBe('hello\n');
    expect((await readdir(run)).toSorted()).toContain('serve.log.1');
  });
});
