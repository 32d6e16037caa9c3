import { appendFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followServeLog, type LogFollower } from '../../src/cluster/logs/follow.ts';
import type { Machine } from '../../src/cluster/machine.ts';
import { renderedPlan } from '../support/rendered-plan.ts';
import { type FakeDocker, fakeDocker, inspected } from '../support/fake-docker.ts';

const STARTED = 'f00d 2026-12-01T10:00:00.5Z\n';
let node: FakeDocker;
let run: string;
let follower: LogFollower;

beforeEach(async () => {
  node = await fakeDocker();
  run = join(node.folder, 'runs/u1');
  const planned = renderedPlan().nodes[0];
  const head: Machine = {
    node: { ...planned, paths: { ...planned.paths, run } },
    read: async (command) => {
      if (command.kind !== 'exec') throw new Error('one command');
      const { stdout, stderr, code } = await node.send(['follow.sh'], command.words.slice(3));
      return { stdout, stderr, exitCode: code ?? 1 };
    },
    change: () => Promise.reject(new Error('reads only')),
    dial: () => Promise.reject(new Error('reads only')),
  };
  follower = followServeLog(head);
  const { name } = planned.container;
  await node.answer('inspect', name, inspected());
  await node.answer('top', name, `PID COMMAND\n9 python3 ${run}/serve.py x\n`);
  await node.put('runs/u1/serve.started', STARTED);
});

afterEach(() => node.remove());

const NAME = renderedPlan().nodes[0].container.name;
const log = (text: string) => appendFile(join(run, 'serve.log'), text);

it('gives what comes, once, and waits for more', async () => {
  await log('one\ntwo é\n');
  expect(await follower.next(1)).toEqual({ text: 'one\ntwo é\n', engine: { state: 'alive' } });
  const began = performance.now();
  const [piece] = await Promise.all([follower.next(5), sleep(300).then(() => log('three\n'))]);
  expect(piece.text).toBe('three\n');
  expect(performance.now() - began).toBeLessThan(3_000);
});

it('waits for a log that is not there yet', async () => {
  const [piece] = await Promise.all([follower.next(5), sleep(300).then(() => log('first\n'))]);
  expect(piece).toEqual({ text: 'first\n', engine: { state: 'alive' } });
});

it('gives at most 64 KB at a time', async () => {
  await log('x'.repeat(100_000));
  expect((await follower.next(1)).text.length).toBe(65_536);
  expect((await follower.next(1)).text.length).toBe(100_000 - 65_536);
});

it('reads the rest of a file that was put aside before the new one', async () => {
  await log('one\n');
  await follower.next(1);
  await log('two\n');
  await rename(join(run, 'serve.log'), join(run, 'serve.log.1'));
  await log('three\n');
  expect((await follower.next(1)).text).toBe('two\n');
  expect((await follower.next(1)).text).toBe('three\n');
});

it('gives the last words of an engine that ended, then its end, at once', async () => {
  await log('last words\n');
  await node.put('runs/u1/serve.exit', 'signal 9\n');
  expect((await follower.next(5)).text).toBe('last words\n');
  const began = performance.now();
  expect(await follower.next(5)).toEqual({ text: '', engine: { state: 'exited', code: 'signal 9' } });
  expect(performance.now() - began).toBeLessThan(2_000);
});

it.each<[string, () => Promise<void>, object]>([
  ['alive', () => Promise.resolve(), { state: 'alive' }],
  ['alive for all we know', () => node.answer('inspect', NAME, undefined, 'Cannot connect'), { state: 'alive' }],
  ['lost', () => node.answer('top', NAME, 'PID COMMAND\n1 ray\n'), { state: 'lost' }],
  ['gone', () => node.answer('inspect', NAME, undefined), { state: 'gone' }],
  [
    'stopped',
    () => node.answer('inspect', NAME, inspected({ running: false, exit: 137 })),
    { state: 'stopped', code: 137, outOfMemory: false },
  ],
  [
    'restarted',
    () => node.answer('inspect', NAME, inspected({ startedAt: '2026-12-01T11:00:00Z' })),
    { state: 'restarted' },
  ],
])('sees in silence that it is %s', async (_, change, engine) => {
  await change();
  expect(await follower.next(1)).toEqual({ text: '', engine });
});
