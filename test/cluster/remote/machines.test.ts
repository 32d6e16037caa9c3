import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../src/cluster/remote/command.ts';
import { openMachines } from '../../../src/cluster/remote/machines.ts';
import { raiseAll } from '../../../src/cluster/remote/raise-all.ts';
import { Secret } from '../../../src/cluster/remote/secret.ts';
import { OperatorError, type ErrorCode } from '../../../src/errors.ts';
import { fakeTransport, type FakeScript } from '../../support/fake-transport.ts';
import { localShell } from '../../support/local-shell.ts';
import { smallPlan } from '../../support/small-plan.ts';

const grip = { realm: 'lab', fence: 1, token: 't' };
const about = { number: 12, run: 'deploy' as const, recipe: 'qwen35', by: 'Operator', since: '2026-12-01T04:00:00Z' };
const { signal } = new AbortController();

function error(code: ErrorCode, node = 'spark1'): OperatorError {
  return new OperatorError(code, `${node}: ${code}`, { hint: 'Look.', node });
}

function open(script: FakeScript, more: Partial<Parameters<typeof openMachines>[0]> = {}) {
  const transport = fakeTransport(script);
  const machines = openMachines({
    plan: smallPlan('/s'),
    transport,
    grip: () => Promise.resolve(grip),
    signal,
    ...more,
  });
  return { transport, head: machines[0], machines };
}

describe('a reading command', () => {
  test('is tried again while the node is away', async () => {
    const answers = [error('unreachable'), error('outcome-unknown'), 'fine\n'];
    const retried: string[] = [];
    const { head } = open(() => answers.shift() ?? 'more', {
      onRetry: (node, { code }) => retried.push(`${node} ${code}`),
    });
    expect(await head.read(run('uptime'))).toMatchObject({ stdout: 'fine\n' });
    expect(retried).toEqual(['spark1 unreachable', 'spark1 outcome-unknown']);
  });

  test.each(['host-key', 'login', 'command-failed'] as const)('is not repeated on %s', async (code) => {
    const { head, transport } = open(() => error(code));
    await expect(head.read(run('uptime'))).rejects.toMatchObject({ code });
    expect(transport.calls).toHaveLength(1);
  });

  test('ends with the run', async () => {
    const ending = new AbortController();
    const { head } = open(() => error('unreachable'), {
      signal: ending.signal,
      onRetry: () => setTimeout(() => ending.abort(new Error('cancelled')), 10),
    });
    await expect(head.read(run('uptime'))).rejects.toThrow('cancelled');
  });
});

describe('a changing command', () => {
  test('waits for the grip and runs under the guard, with its input', async () => {
    let give: (value: typeof grip) => void = () => {};
    const held = new Promise<typeof grip>((resolve) => {
      give = resolve;
    });
    const { head, transport } = open(() => 'id\n', { grip: () => held });
    const changed = head.change(run('docker', 'rm', 'x'), { stdin: new Secret('K=v') });
    expect(transport.calls).toEqual([]);
    give({ ...grip, fence: 4 });
    expect((await changed).stdout).toBe('id\n');
    expect(transport.calls[0]).toMatchObject({
      stdin: 'K=v',
      text: expect.stringMatching(/^flock .* lab 4 t -- timeout -k 5 60 docker rm x$/),
    });
  });

  test.each([
    [75, 'stale-fence'],
    [76, 'lock-busy'],
  ])('with exit code %i rejects with %s', async (exitCode, code) => {
    await expect(open(() => ({ exitCode })).head.change(run('true'))).rejects.toMatchObject({ code });
  });

  test('is never repeated, and a lost lease reaches no node', async () => {
    const away = open(() => error('unreachable'));
    await expect(away.head.change(run('true'))).rejects.toMatchObject({ code: 'unreachable' });
    expect(away.transport.calls).toHaveLength(1);
    const lost = open(() => '', { grip: () => Promise.reject(error('stale-fence')) });
    await expect(lost.head.change(run('true'))).rejects.toMatchObject({ code: 'stale-fence' });
    expect(lost.transport.calls).toEqual([]);
  });

  test('does not start on any node while one is not raised', async () => {
    const finding = { text: 'spark2: connection refused', node: 'spark2', lines: [], remedy: 'Switch it on.' };
    const { machines, transport } = open(() => '', { raiseProblems: new Map([['spark2', finding]]) });
    expect(machines.map(({ raiseProblem }) => raiseProblem)).toEqual([undefined, finding]);
    await expect(machines[0].change(run('true'))).rejects.toMatchObject({ hint: 'Switch it on.', node: 'spark2' });
    expect(transport.calls).toEqual([]);
  });

  test('in an undo, starts on every node that is raised', async () => {
    const finding = { text: 'spark2: connection refused', node: 'spark2', lines: [], remedy: 'Switch it on.' };
    const raiseProblems = new Map([['spark2', finding]]);
    const { machines, transport } = open(() => '', { raiseProblems, eachAlone: true });
    await machines[0].change(run('true'));
    await expect(machines[1]?.change(run('true'))).rejects.toMatchObject({ code: 'unreachable', node: 'spark2' });
    expect(transport.calls.map(({ node }) => node)).toEqual(['spark1']);
  });
});

describe('raiseAll', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sparkops-raise-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('raises every node, and machines can change them', async () => {
    const [plan, transport] = [smallPlan(folder), localShell()];
    expect(await raiseAll({ plan, transport, grip, about, signal })).toEqual({ ok: true, problems: new Map() });
    const machines = openMachines({ plan, transport, grip: () => Promise.resolve(grip), signal });
    const changed = await Promise.all(machines.map((machine) => machine.change(run('echo', machine.node.name))));
    expect(changed.map(({ stdout }) => stdout)).toEqual(['spark1\n', 'spark2\n']);
    expect(await readFile(join(folder, 'spark2', 'fence'), 'utf8')).toMatch(/^lab 1 t\n/);
  });

  test('gives the highest fence seen when any node knows a newer one', async () => {
    const [plan, transport] = [smallPlan(folder), localShell()];
    await raiseAll({ plan, transport, grip: { ...grip, fence: 3 }, about, signal });
    await writeFile(join(folder, 'spark2', 'fence'), 'lab 9 other\n');
    expect(await raiseAll({ plan, transport, grip, about, signal })).toEqual({ ok: false, why: 'higher', fence: 9 });
    expect(await raiseAll({ plan, transport, grip: { ...grip, fence: 10 }, about, signal })).toMatchObject({
      ok: true,
    });
  });

  test('names the newest deployment that a node has seen', async () => {
    const [plan, transport] = [smallPlan(folder), localShell()];
    await raiseAll({ plan, transport, grip, about, signal });
    await writeFile(join(folder, 'spark1', 'fence'), 'lab 9 other\nrenewed 0\nnumber 13\n');
    await writeFile(join(folder, 'spark2', 'fence'), 'lab 9 other\nrenewed 0\nnumber 14\n');
    expect(await raiseAll({ plan, transport, grip, about, signal })).toEqual({
      ok: false,
      why: 'newer',
      node: 'spark2',
      number: 14,
    });
  });

  test('goes on with the others when one is away or belongs to another realm', async () => {
    const plan = smallPlan(folder);
    const real = localShell();
    const transport = fakeTransport(({ node, command, stdin, signal: ends }) =>
      node === 'spark2' ? error('host-key', node) : real.exec(node, command, { stdin, signal: ends, limitMs: 5_000 }),
    );
    expect(await raiseAll({ plan, transport, grip, about, signal })).toEqual({
      ok: true,
      problems: new Map([['spark2', { text: 'spark2: host-key', node: 'spark2', lines: [], remedy: 'Look.' }]]),
    });
    const night = { realm: 'night', fence: 1, token: 't' };
    const foreign = await raiseAll({ plan, transport, grip: night, about, signal });
    expect(foreign.ok && foreign.problems.get('spark1')?.text).toMatch(
      /^spark1 belongs to another sparkops, named lab,/,
    );
  });

  test('is patient with a node that is away for a moment, but not for long', async () => {
    const plan = smallPlan(folder);
    let away = 2;
    const real = localShell();
    const flaky = fakeTransport(({ node, command, stdin, signal: ends }) => {
      away -= 1;
      return away >= 0 ? error('unreachable', node) : real.exec(node, command, { stdin, signal: ends, limitMs: 5_000 });
    });
    expect(await raiseAll({ plan, transport: flaky, grip, about, signal })).toEqual({ ok: true, problems: new Map() });
    const gone = fakeTransport(({ node }) => error('unreachable', node));
    const result = await raiseAll({ plan, transport: gone, grip, about, signal, patienceMs: 150 });
    expect(result.ok && [...result.problems.keys()]).toEqual(['spark1', 'spark2']);
  });

  test('rejects with the reason of an abort', async () => {
    const ending = new AbortController();
    const raised = raiseAll({
      plan: smallPlan(folder),
      transport: fakeTransport(() => new Promise(() => {})),
      grip,
      about,
      signal: ending.signal,
    });
    ending.abort(new Error('cancelled'));
    await expect(raised).rejects.toThrow('cancelled');
  });
});
