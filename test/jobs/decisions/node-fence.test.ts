import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grip } from '../../../src/cluster/remote/grip.ts';
import { answerRaise, guardLets } from '../../../src/jobs/decisions/node-fence.ts';

const NOW = 1_800_000_000;
let folder: string;
let state: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sparkops-node-fence-'));
  state = join(folder, 'state');
  mkdirSync(join(state, 'programs-x'), { recursive: true });
  for (const name of ['fence.sh', 'guard.sh']) {
    copyFileSync(`programs/${name}`, join(state, 'programs-x', name));
    chmodSync(join(state, 'programs-x', name), 0o700);
  }
  // A clock that stands still, or a second that passes in between would make another answer right.
  writeFileSync(join(folder, 'date'), `#!/bin/sh\n[ "$1" = +%s ] && echo ${NOW} || echo 2027-01-15T08:00:00Z\n`);
  chmodSync(join(folder, 'date'), 0o700);
});
afterAll(() => rmSync(folder, { recursive: true }));

function ran(program: string, ...args: (string | number)[]) {
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  return spawnSync(join(state, 'programs-x', program), args.map(String), { env, encoding: 'utf8', timeout: 10_000 });
}

function put(file: string | undefined): void {
  rmSync(join(state, 'fence'), { force: true });
  if (file !== undefined) writeFileSync(join(state, 'fence'), file);
}

function found(): string | undefined {
  return existsSync(join(state, 'fence')) ? readFileSync(join(state, 'fence'), 'utf8') : undefined;
}

const GRIPS: readonly Grip[] = ['lab', 'night'].flatMap((realm) =>
  [1, 2, 3].flatMap((fence) => ['mine', 'other'].map((token) => ({ realm, fence, token }))),
);
const firstLines = GRIPS.map(({ realm, fence, token }) => `${realm} ${fence} ${token}`);
const RENEWED = [0, 1, 299, 300, 301, -5].map((ago) => `renewed ${NOW - ago}`);
const ODD = [
  '',
  '\n',
  'lab',
  'lab\n',
  'lab 2',
  'lab 2\n',
  'lab 2 mine',
  'lab two mine\n',
  'lab -2 mine\n',
  'lab 02 mine\n',
  'lab  2  mine\n',
  ' lab 2 mine \n',
  '\tlab 2 mine\t\n',
  'lab 2 mine more\n',
  'lab 2 mine\r\n',
  '\nlab 2 mine\n',
  `night 2 mine\nrenewed\n`,
  `night 2 mine\nrenewed soon\n`,
  `night 2 mine\nrenewed ${NOW} more\n`,
  `night 2 mine\nrenewed -${NOW}\n`,
  `night 2 mine\n\n`,
  `night two mine\nrenewed ${NOW}\n`,
];
const FILES: readonly (string | undefined)[] = [
  undefined,
  ...ODD,
  ...firstLines.flatMap((line) => RENEWED.map((renewed) => `${line}\n${renewed}\n\nfor people\n`)),
];

function firstTwoLines(file: string | undefined): string | undefined {
  return file?.split('\n').slice(0, 2).join('\n');
}

test('fence.sh answers a raise as its twin does, and leaves the same file, in every small state', () => {
  const request = { realm: 'lab', fence: 2, token: 'mine' };
  const about = [7, 'qwen35', 'Operator', '2026-12-01T00:00:00Z'];
  const answers = new Set<string>();
  for (const file of FILES) {
    put(file);
    const { stdout, status } = ran('fence.sh', 'raise', 'lab', 2, 'mine', ...about);
    const twin = answerRaise(file, request, NOW);
    const real = { status, answer: stdout, file: firstTwoLines(found()) };
    const expected = { status: 0, answer: `sparkops-fence: ${twin.answer}\n`, file: firstTwoLines(twin.file) };
    expect(real, JSON.stringify(file)).toEqual(expected);
    answers.add(twin.answer.split(' ')[0] ?? '');
  }
  expect([...answers].toSorted()).toEqual(['equal', 'higher', 'realm', 'unreadable', 'written']);
});

test('guard.sh lets a command begin exactly when its twin does', () => {
  const files = [undefined, ...ODD, ...firstLines.map((line) => `${line}\nrenewed ${NOW}\n`)];
  const begun = join(folder, 'begun');
  let count = 0;
  for (const file of files) {
    put(file);
    for (const given of GRIPS) {
      const { realm, fence, token } = given;
      const { status } = ran('guard.sh', realm, fence, token, '--', 'touch', begun);
      const lets = guardLets(file, given);
      expect({ status, begun: existsSync(begun) }, JSON.stringify({ file, given })).toEqual({
        status: lets ? 0 : 75,
        begun: lets,
      });
      rmSync(begun, { force: true });
      if (lets) count += 1;
    }
  }
  // Each grip by its own file, and one file with blanks around or no line end.
  expect(count).toBe(GRIPS.length + 3);
});
