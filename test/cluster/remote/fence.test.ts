import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { run, type Exec } from '../../../src/cluster/remote/command.ts';
import { raise, renewFence, type About, type FenceRequest } from '../../../src/cluster/remote/fence.ts';
import type { Grip } from '../../../src/cluster/remote/grip.ts';
import { guarded, passedGuard, type GuardTimes } from '../../../src/cluster/remote/guard.ts';
import { readHighestNumber } from '../../../src/cluster/remote/highest-number.ts';
import { installedPrograms, programPath } from '../../../src/cluster/remote/programs.ts';
import { toShell } from '../../../src/cluster/remote/shell.ts';
import { localShell } from '../../support/local-shell.ts';

const signal = new AbortController().signal;
const transport = localShell();
let folder: string;
let state: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-fence-'));
  state = join(folder, "it's a state");
});
afterEach(() => rm(folder, { recursive: true }));

function grip(fence: number, token = `token-${fence}`, realm = 'lab'): Grip {
  return { realm, fence, token };
}

function request(more: Partial<FenceRequest> = {}): FenceRequest {
  const about = { number: 12, run: 'deploy' as const, recipe: 'qwen35', by: 'Operator', since: '2026-12-01T04:00:00Z' };
  return { transport, node: 'spark1', state, grip: grip(1), about, signal, limitMs: 10_000, ...more };
}

async function change(command: Exec, as: Grip, times?: GuardTimes) {
  return passedGuard(
    'spark1',
    await transport.exec('spark1', guarded(command, as, state, times), { signal, limitMs: 10_000 }),
  );
}

async function fenceLine(): Promise<string> {
  return (await readFile(join(state, 'fence'), 'utf8')).split('\n')[0] ?? '';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

describe('raise', () => {
  test('makes the state folder, installs the programs and writes the fence', async () => {
    expect(await raise(request())).toEqual({ ok: true });
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect(await fenceLine()).toBe('lab 1 token-1');
    const installed = programPath(state, 'guard.sh');
    expect(installed).toBe(join(state, `programs-${installedPrograms().hash}`, 'guard.sh'));
    expect((await stat(installed)).mode & 0o777).toBe(0o700);
    expect(await readFile(installed, 'utf8')).toBe(await readFile('programs/guard.sh', 'utf8'));
    expect((await readdir(state)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('again, with a higher fence, or by many at once does no harm', async () => {
    await Promise.all(Array.from({ length: 5 }, () => raise(request())));
    await mkdir(join(state, 'programs-older'));
    expect(await raise(request({ grip: grip(2) }))).toEqual({ ok: true });
    expect(await fenceLine()).toBe('lab 2 token-2');
    const programs = join(state, `programs-${installedPrograms().hash}`);
    expect((await readdir(programs)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await exists(join(state, 'programs-older'))).toBe(true);
  });

  test('is refused by a higher fence, and by an equal one of another token', async () => {
    await raise(request({ grip: grip(5) }));
    expect(await raise(request({ grip: grip(4) }))).toEqual({ ok: false, why: 'higher', fence: 5 });
    expect(await raise(request({ grip: grip(5, 'other') }))).toEqual({ ok: false, why: 'equal-other-token', fence: 5 });
    expect(await fenceLine()).toBe('lab 5 token-5');
  });

  test('is refused for an attempt once a newer deployment has raised it, and not for a stop', async () => {
    const by = (number: number, run: About['run']): About => ({ ...request().about, number, run });
    await raise(request({ about: by(12, 'deploy') }));
    await raise(request({ grip: grip(2), about: by(14, 'stop-foreign') }));
    expect(await raise(request({ grip: grip(3), about: by(13, 'deploy') }))).toEqual({
      ok: false,
      why: 'newer',
      number: 14,
    });
    expect(await fenceLine()).toBe('lab 2 token-2');
    // What serves is stopped under its own number, also after a newer attempt that came to nothing.
    const stop = request({ grip: grip(3), about: by(12, 'stop') });
    expect(await raise(stop)).toEqual({ ok: true });
    await renewFence(stop);
    expect(await raise(request({ grip: grip(4), about: by(13, 'deploy') }))).toMatchObject({
      why: 'newer',
      number: 14,
    });
    expect(await raise(request({ grip: grip(4), about: by(14, 'deploy') }))).toEqual({ ok: true });
  });

  test('leaves another realm alone until it has been silent for 5 minutes', async () => {
    await raise(request({ grip: grip(90, 'theirs', 'night') }));
    const refused = await raise(request());
    expect(refused).toEqual({ ok: false, why: 'other-realm', realm: 'night', renewedSecondsAgo: expect.any(Number) });
    await renewedAgo(299 - 60);
    expect(await raise(request())).toMatchObject({ why: 'other-realm' });
    await renewedAgo(300);
    expect(await raise(request())).toEqual({ ok: true });
    expect(await fenceLine()).toBe('lab 1 token-1');
  });

  test('waits for what an older process still runs under the lock', async () => {
    await raise(request());
    const go = join(folder, 'go');
    const script = `touch "$1.started"; while ! [ -e "$1" ]; do sleep 0.02; done; touch "$1.ended"`;
    const older = change(run('sh', '-c', script, 'sh', go), grip(1));
    await vi.waitFor(() => stat(`${go}.started`), { timeout: 5_000 });

    await expect(raise(request({ grip: grip(2), limitMs: 6_000 }))).rejects.toMatchObject({ code: 'lock-busy' });
    expect(await fenceLine()).toBe('lab 1 token-1');

    const raised = raise(request({ grip: grip(2) })).then(() => exists(`${go}.ended`));
    await writeFile(go, '');
    expect(await raised).toBe(true);
    expect((await older).exitCode).toBe(0);
    await expect(change(run('true'), grip(1))).rejects.toMatchObject({ code: 'stale-fence' });
  });

  test('keeps names of people as text', async () => {
    const by = `$(touch ${folder}/pwned) "it's"\nlab 9 forged\n日本`;
    await raise(request({ about: { number: 1, run: 'deploy', recipe: 'qwen35', by, since: 'now' } }));
    const text = await readFile(join(state, 'fence'), 'utf8');
    expect(text).toContain(`$(touch ${folder}/pwned) "it's" lab 9 forged 日本, since now`);
    expect(await exists(join(folder, 'pwned'))).toBe(false);
  });

  test('says what the node lacks', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    for (const tool of ['sh', 'mkdir', 'chmod']) await symlink(`/bin/${tool}`, join(bin, tool));
    await expect(raise(request({ transport: localShell({ PATH: bin }) }))).rejects.toMatchObject({
      code: 'command-failed',
      message: 'spark1: it has no flock',
    });
    await writeFile(join(folder, 'file'), '');
    await expect(raise(request({ state: join(folder, 'file', 'state') }))).rejects.toMatchObject({
      code: 'command-failed',
      message: expect.stringContaining("can't be written"),
    });
    await raise(request());
    await writeFile(join(state, 'fence'), 'lab nonsense\n');
    await expect(raise(request())).rejects.toMatchObject({ message: `spark1: its file ${state}/fence is damaged` });
  });
});

describe('the guard', () => {
  beforeEach(() => raise(request()));

  test('has exactly this form', () => {
    expect(toShell(guarded(run('docker', 'rm', '--force', 'x'), grip(7), '/s'))).toBe(
      `flock -o -E 76 -w 30 /s/lock /s/programs-${installedPrograms().hash}/guard.sh lab 7 token-7 -- timeout -k 5 60 docker rm --force x`,
    );
    expect(() => guarded(run('true'), { realm: 'a b', fence: 1, token: 'x' }, '/s')).toThrow(TypeError);
  });

  test('lets the holder run anything, with its input, output and exit code', async () => {
    const ran = await transport.exec(
      'spark1',
      guarded(run('sh', '-c', 'cat; echo "$1" >&2; exit 3', 'sh', 'two  words'), grip(1), state),
      { signal, limitMs: 10_000, stdin: 'in' },
    );
    expect(ran).toEqual({ exitCode: 3, stdout: 'in', stderr: 'two  words\n' });
    expect((await change(run('sh', '-c', 'exit 75'), grip(1))).exitCode).toBe(70);
    expect((await change(run('sh', '-c', 'exit 76'), grip(1))).exitCode).toBe(70);
  });

  test.each([
    ['an older fence', grip(0, 'token-1')],
    ['another token', grip(1, 'other')],
    ['another realm', grip(1, 'token-1', 'night')],
  ])('refuses %s, and notes it in one line', async (_name, wrong) => {
    const ran = join(folder, 'ran');
    await expect(change(run('touch', ran, 'two\nlines'), wrong)).rejects.toMatchObject({
      code: 'stale-fence',
      node: 'spark1',
    });
    expect(await exists(ran)).toBe(false);
    const log = await readFile(join(state, 'refused.log'), 'utf8');
    expect(log).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]+Z given: [\w -]+ found: lab 1 token-1 refused: timeout -k 5 60 touch .* two lines\n$/,
    );
  });

  test('refuses when there is no fence any more', async () => {
    await rm(join(state, 'fence'));
    await expect(change(run('true'), grip(1))).rejects.toMatchObject({ code: 'stale-fence' });
  });

  test('says that the lock is busy, or that it could not run itself', async () => {
    const go = join(folder, 'go');
    const busy = change(
      run('sh', '-c', 'touch "$1.started"; while ! [ -e "$1" ]; do sleep 0.02; done', 'sh', go),
      grip(1),
    );
    await vi.waitFor(() => stat(`${go}.started`), { timeout: 5_000 });
    const now = { lockSeconds: 0, commandSeconds: 5 };
    await expect(change(run('true'), grip(1), now)).rejects.toMatchObject({ code: 'lock-busy' });
    await writeFile(go, '');
    await busy;
    await rm(state, { recursive: true });
    await expect(change(run('true'), grip(1))).rejects.toMatchObject({ code: 'command-failed', node: 'spark1' });
  });

  test('ends a command that takes too long, with its children', async () => {
    const began = performance.now();
    const ran = await change(run('sh', '-c', 'sleep 30 & wait'), grip(1), { lockSeconds: 5, commandSeconds: 1 });
    expect(ran.exitCode).toBe(124);
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  test('does not leave the lock to what a command has started', async () => {
    const pid = (await change(run('sh', '-c', 'setsid sleep 20 > /dev/null 2>&1 < /dev/null & echo $!'), grip(1)))
      .stdout;
    const now = { lockSeconds: 0, commandSeconds: 5 };
    expect((await change(run('kill', Number(pid)), grip(1), now)).exitCode).toBe(0);
  });
});

describe('renewFence', () => {
  test('tells others that somebody is at work', async () => {
    await raise(request());
    await renewedAgo(1_000);
    await renewFence(request());
    expect(await raise(request({ grip: grip(2, 'x', 'night') }))).toMatchObject({ ok: false, why: 'other-realm' });
  });

  test('is refused once another process holds the fence', async () => {
    await raise(request());
    await raise(request({ grip: grip(2) }));
    await expect(renewFence(request())).rejects.toMatchObject({ code: 'stale-fence' });
    expect(await fenceLine()).toBe('lab 2 token-2');
  });
});

test('the highest number of the node is kept', async () => {
  const options = { signal, limitMs: 5_000 };
  expect(await readHighestNumber(transport, 'spark1', state, options)).toBe(0);
  await raise(request());
  const about = { number: 3, run: 'deploy' as const, recipe: 'qwen35', by: 'Operator', since: 'now' };
  await raise(request({ about }));
  expect(await readHighestNumber(transport, 'spark1', state, options)).toBe(12);
  await writeFile(join(state, 'number'), 'many\n');
  await expect(readHighestNumber(transport, 'spark1', state, options)).rejects.toMatchObject({
    code: 'command-failed',
  });
});

/** As if the fence had last been renewed so many seconds ago. */
async function renewedAgo(seconds: number): Promise<void> {
  const file = join(state, 'fence');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^renewed \d+/m, `renewed ${Math.floor(Date.now() / 1_000) - seconds}`));
}
