import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grip } from '../../../src/cluster/remote/grip.ts';
import { answerRaise, guardLets, type RaiseAsk, writtenOver } from '../../../src/jobs/decisions/node-fence.ts';

const NOW = 1_800_000_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-node-fence-'));
  // A clock that stands still, or a second that passes in between would make another answer right.
  const date = `#!/bin/sh\n[ "$1" = +%s ] && echo ${NOW} || echo 2027-01-15T08:00:00Z\n`;
  await writeFile(join(folder, 'date'), date, { mode: 0o700 });
});
afterAll(() => rm(folder, { recursive: true }));

interface Case {
  file: string | undefined;
  /** The program and what it is given. */
  words: readonly (string | number)[];
}

/** All of them by one shell, each with a state folder of its own. */
async function runAll(cases: readonly Case[]) {
  const work = await mkdtemp(join(folder, 'cases-'));
  const state = (at: number) => join(work, String(at));
  for (const [at, { file }] of cases.entries()) {
    await mkdir(join(state(at), 'programs-x'), { recursive: true });
    for (const name of ['fence.sh', 'guard.sh']) {
      await copyFile(`programs/${name}`, join(state(at), 'programs-x', name));
    }
    if (file !== undefined) await writeFile(join(state(at), 'fence'), file);
  }
  const lines = cases.map(({ words }, at) => {
    const [program = '', ...args] = words.map(String);
    return `sh ${state(at)}/programs-x/${program} ${args.join(' ')} > ${state(at)}/out 2> /dev/null; echo $? > ${state(at)}/status`;
  });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  await promisify(execFile)('sh', ['-c', lines.join('\n')], { env, timeout: 50_000 });
  return Promise.all(
    cases.map(async (_, at) => ({
      status: Number(await readFile(join(state(at), 'status'), 'utf8')),
      output: await readFile(join(state(at), 'out'), 'utf8'),
      file: await readFile(join(state(at), 'fence'), 'utf8').catch(() => undefined),
    })),
  );
}

const GRIPS: readonly Grip[] = ['lab', 'night'].flatMap((realm) =>
  [1, 2, 3].flatMap((fence) => ['mine', 'other'].map((token) => ({ realm, fence, token }))),
);
const firstLines = GRIPS.map(({ realm, fence, token }) => `${realm} ${fence} ${token}`);
const RENEWED = [0, 1, 299, 300, 301, -5].map((ago) => `renewed ${NOW - ago}`);
/** None in files of before. */
const NUMBERS = ['', 'number 6', 'number 7', 'number 8'];
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
  `lab 1 mine\nrenewed ${NOW}\nnumber 8`,
  `lab 1 mine\nrenewed ${NOW}\n number  08 \n`,
  `lab 1 mine\nrenewed ${NOW}\nnumber 8 more\n`,
  `lab 1 mine\nrenewed ${NOW}\nnumber -8\n`,
  `lab 1 mine\nrenewed ${NOW}\nnumber\n`,
  `lab two mine\nrenewed ${NOW}\nnumber 8\n`,
];
const FILES: readonly (string | undefined)[] = [
  undefined,
  ...ODD,
  ...firstLines.flatMap((line) => {
    // How long ago it was renewed counts for another realm's alone.
    const renewed = line.startsWith('lab') ? RENEWED.slice(0, 1) : RENEWED;
    return renewed.flatMap((second) => NUMBERS.map((third) => `${line}\n${second}\n${third}\n\nfor people\n`));
  }),
];

function firstLinesOf(file: string | undefined): string | undefined {
  return file?.split('\n').slice(0, 3).join('\n');
}

function asks(run: RaiseAsk['run']): { ask: RaiseAsk; more: string } {
  const ask = { realm: 'lab', fence: 2, token: 'mine', number: 7, run };
  return { ask, more: `lab 2 mine 7 ${run} qwen35 Operator 2026-12-01T00:00:00Z` };
}

test.each([
  ['deploy', ['equal', 'higher', 'newer', 'realm', 'unreadable', 'written']],
  ['stop', ['equal', 'higher', 'realm', 'unreadable', 'written']],
] as const)(
  'fence.sh answers the raise of a run %s as its twin does, and leaves the same file, in every small state',
  async (run, expected) => {
    const { ask, more } = asks(run);
    const all = await runAll(FILES.map((file) => ({ file, words: [`fence.sh raise ${more}`] })));
    const answers = new Set<string>();
    for (const [at, file] of FILES.entries()) {
      const twin = answerRaise(file, ask, NOW);
      const { status, output, file: after } = all[at] ?? {};
      expect({ status, output, file: firstLinesOf(after) }, JSON.stringify(file)).toEqual({
        status: 0,
        output: `sparkops-fence: ${twin.answer}\n`,
        file: firstLinesOf(twin.file),
      });
      answers.add(twin.answer.split(' ')[0] ?? '');
    }
    expect([...answers].toSorted()).toEqual(expected);
  },
);

test("fence.sh renews its holder's file as its twin does: what is newer there stays", async () => {
  const files = NUMBERS.map((third) => `lab 2 mine\nrenewed ${NOW - 60}\n${third}\n\nfor people\n`);
  for (const { ask, more } of [asks('deploy'), asks('stop')]) {
    const all = await runAll(files.map((file) => ({ file, words: [`fence.sh renew ${more}`] })));
    expect(all.map(({ file }) => firstLinesOf(file))).toEqual(
      files.map((file) => firstLinesOf(writtenOver(file, ask, NOW))),
    );
    expect(all.map(({ file }) => file?.split('\n')[2])).toEqual(['number 7', 'number 7', 'number 7', 'number 8']);
  }
});

test('guard.sh lets a command begin exactly when its twin does', async () => {
  const files = [undefined, ...ODD, ...firstLines.map((line) => `${line}\nrenewed ${NOW}\n`)];
  const asked = files.flatMap((file) =>
    GRIPS.filter(
      ({ fence }) => fence === 2 || file?.startsWith(`lab ${fence} `) || file?.startsWith(`night ${fence} `),
    ).map((given) => ({ file, given })),
  );
  const all = await runAll(
    asked.map(({ file, given: { realm, fence, token } }) => ({
      file,
      words: ['guard.sh', realm, fence, token, '--', 'echo', 'begun'],
    })),
  );
  let count = 0;
  for (const [at, { file, given }] of asked.entries()) {
    const lets = guardLets(file, given);
    expect(all[at], JSON.stringify({ file, given })).toMatchObject({
      status: lets ? 0 : 75,
      output: lets ? 'begun\n' : '',
    });
    if (lets) count += 1;
  }
  // Each grip by its own file; lab 2 mine by 3 odd ones (blanks around, no line end), night 2 mine and lab 1 mine by 5.
  expect(count).toBe(GRIPS.length + 3 + 5 + 5);
});
