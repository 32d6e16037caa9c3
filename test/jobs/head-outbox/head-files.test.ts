import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHeadFiles, writeHeadFiles, type Head } from '../../../src/jobs/head-outbox/head-files.ts';
import { localShell } from '../../support/local-shell.ts';

let folder: string;
let state: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-head-'));
  state = join(folder, "it's a state");
});
afterEach(() => rm(folder, { recursive: true }));

const head = (change: Partial<Head> = {}): Head => ({
  transport: localShell(),
  node: 'spark1',
  state,
  realm: 'lab',
  signal: new AbortController().signal,
  limitMs: 10_000,
  ...change,
});
const text = (name: string) => readFile(join(state, name), 'utf8');

test('a hold and a line of the audit come to the head word by word, readable by us alone', async () => {
  const hold = JSON.stringify({ by: { team: 'T1', user: 'U1' }, reason: `it's "$(id)" \\n & more` });
  expect(await writeHeadFiles(head(), [`17 hold ${hold}`, '18 audit {"what":"a  b"}'])).toBe(18);
  expect(await text('hold-lab')).toBe(`${hold}\n`);
  expect(await text('audit-lab.log')).toBe('{"what":"a  b"}\n');
  expect((await stat(state)).mode & 0o777).toBe(0o700);
  expect((await stat(join(state, 'hold-lab'))).mode & 0o777).toBe(0o600);
  expect(await readHeadFiles(head())).toEqual({ hold, lastId: 18 });
  expect(await readHeadFiles(head({ realm: 'other' }))).toEqual({ lastId: 0 });
});

test('a batch that comes again, and an older one that comes late, change nothing', async () => {
  const batch = ['17 hold {"a":1}', '18 audit one'];
  await writeHeadFiles(head(), batch);
  expect(await writeHeadFiles(head(), batch)).toBe(18);
  expect(await writeHeadFiles(head(), ['19 unhold ', '20 freeze {"b":2}'])).toBe(20);
  expect(await writeHeadFiles(head(), batch)).toBe(20);
  expect(await text('audit-lab.log')).toBe('one\n');
  expect(await readHeadFiles(head())).toEqual({ freeze: '{"b":2}', lastId: 20 });
  await writeHeadFiles(head(), ['21 unfreeze ', '22 from-a-newer-version x']);
  expect(await readHeadFiles(head())).toEqual({ lastId: 22 });
});

test('what can not be written stays to be written: the rest before it counts', async () => {
  await writeHeadFiles(head(), ['17 audit one']);
  await rm(join(state, 'audit-lab.log'));
  // A folder of that name can't be appended to.
  await localShell().exec('spark1', { kind: 'exec', words: ['mkdir', join(state, 'audit-lab.log')] }, head());
  expect(await writeHeadFiles(head(), ['18 hold {"a":1}', '19 audit two'])).toBe(18);
  await expect(writeHeadFiles(head(), ['19 audit two'])).rejects.toMatchObject({
    code: 'command-failed',
    message: expect.stringContaining("spark1: holds and audit can't be written"),
  });
  await rm(join(state, 'audit-lab.log'), { recursive: true });
  expect(await writeHeadFiles(head(), ['19 audit two'])).toBe(19);
  expect(await text('audit-lab.log')).toBe('two\n');
});

test('two at once write each line once, in order', async () => {
  const items = Array.from({ length: 40 }, (_, at) => `${at + 1} audit line ${at + 1}`);
  await Promise.all([
    writeHeadFiles(head(), items),
    writeHeadFiles(head(), items),
    writeHeadFiles(head(), items.slice(0, 9)),
  ]);
  expect((await text('audit-lab.log')).trim().split('\n')).toEqual(items.map((item) => item.split(' audit ')[1]));
});

test('waits for a command that holds the lock, and says so when that takes too long', async () => {
  await writeHeadFiles(head(), ['1 audit one']);
  const held = localShell().exec(
    'spark1',
    { kind: 'exec', words: ['flock', join(state, 'lock'), 'sleep', '3'] },
    head(),
  );
  await expect(writeHeadFiles(head({ limitMs: 2_000 }), ['2 audit two'])).rejects.toMatchObject({ code: 'lock-busy' });
  await held;
  expect(await writeHeadFiles(head(), ['2 audit two'])).toBe(2);
});

test('the log is turned over once it has 10 MB; the one before it is kept', async () => {
  await writeHeadFiles(head(), ['1 audit old']);
  await writeFile(join(state, 'audit-lab.log'), `${'x'.repeat(10_485_761)}\n`);
  await writeHeadFiles(head(), ['2 audit new']);
  expect(await text('audit-lab.log')).toBe('new\n');
  expect((await stat(join(state, 'audit-lab.log.1'))).size).toBe(10_485_762);
});
