import { mkdir, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSections } from '../../src/cluster/probes/sections.ts';
import { type FakeDocker, fakeDocker, inspected } from '../support/fake-docker.ts';

let node: FakeDocker;

beforeEach(async () => {
  node = await fakeDocker();
});
afterEach(() => node.remove());

const program = (name: string) => fileURLToPath(new URL(`../../programs/${name}`, import.meta.url));

describe('evidence.sh', () => {
  const run = () => join(node.folder, 'runs/u1');
  const read = async () => {
    const { stdout, code } = await node.send(['node-facts.sh', 'evidence.sh'], ['c1', run()]);
    expect(code).toBe(0);
    return { stdout, sections: parseSections(stdout) };
  };

  it('keeps the names of environment variables, and no value', async () => {
    const Env = ['HF_TOKEN=hf_secret', 'ODD=a "quoted\\" =x', 'EMPTY='];
    const Config = { Env, Labels: { 'sparkops.number': '141' } };
    await node.answer('inspect', 'c1', `${JSON.stringify({ Id: 'f00d', Config })}\n`);
    const { stdout, sections } = await read();
    expect(stdout).not.toMatch(/hf_secret|quoted/);
    expect(JSON.parse(sections.get('inspect').lines[0] ?? '')).toEqual({
      Id: 'f00d',
      Config: { Env: ['HF_TOKEN=...', 'ODD=...', 'EMPTY=...'], Labels: { 'sparkops.number': '141' } },
    });
  });

  it('says of each part why it is missing', async () => {
    await node.answer('inspect', 'c1', undefined);
    await node.answer('exec', 'sh', undefined, 'no py-spy');
    const { sections } = await read();
    expect(sections.get('inspect')).toMatchObject({ exitCode: 1, lines: ['Error: No such object: c1'] });
    expect(sections.get('log').lines).toEqual([`there is no ${run()}/serve.log`]);
    expect(sections.get('stacks').lines[0]).toBe('the image has no py-spy');
    expect(sections.get('stacks').exitCode).not.toBe(0);
  });

  it('tells what the kernel knows of each process where there is no py-spy', async () => {
    await node.answer('exec', 'sh', undefined, 'no py-spy');
    await node.answer('top', 'c1', `PID COMMAND\n${process.pid} python3 x\n`);
    const { sections } = await read();
    const text = sections.get('stacks').lines.join('\n');
    expect(text).toContain(`process ${process.pid}: `);
    expect(text).toMatch(/^State:/m);
  });
});

describe('keep-evidence.sh', () => {
  it('writes the files for us alone, and keeps the last 20 folders', async () => {
    for (let old = 1; old <= 21; old += 1) {
      const folder = join(node.folder, 'evidence', `old-${old}`);
      await mkdir(folder, { recursive: true });
      await utimes(folder, old, old);
    }
    const input = 'file spark1.txt\n one\n  two\n \nfile ../../bad\n lost?\nfile metrics.txt\n m 1\n';
    const { stdout, code } = await node.run(program('keep-evidence.sh'), [node.folder, 'u1-20261201T024501Z'], input);
    const folder = join(node.folder, 'evidence/u1-20261201T024501Z');
    expect([code, stdout]).toEqual([0, `${folder}\n`]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(folder, 'spark1.txt'), 'utf8')).toBe('one\n two\n\nlost?\n');
    expect(await readFile(join(folder, 'metrics.txt'), 'utf8')).toBe('m 1\n');
    const left = await readdir(join(node.folder, 'evidence'));
    expect(left).toHaveLength(20);
    expect(left).not.toContain('old-1');
    expect(left).not.toContain('old-2');
  });
});

describe('end-engine.sh', () => {
  const survivors = async () => {
    await node.answer('ps', 'all', '');
    const { stdout } = await node.send(['node-facts.sh', 'containers.sh'], ['lab', node.folder]);
    return parseSections(stdout).get('survivors').lines;
  };

  it('writes down what runs, so that a later look knows what has outlived its container', async () => {
    const dead = 4_194_303;
    await node.answer('top', 'c1', `PID COMMAND\n${process.pid} vllm\n${dead} gone\n`);
    const { code } = await node.run(program('end-engine.sh'), ['c1', join(node.folder, 'runs/u1'), '0']);
    expect(code).toBe(0);
    const start = readFileSync(`/proc/${process.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19];
    const file = join(node.folder, 'runs/u1/processes');
    expect(await readFile(file, 'utf8')).toBe(`${process.pid} ${start}\n`);
    expect(await survivors()).toEqual([expect.stringMatching(new RegExp(`^u1 ${process.pid} .+`))]);
    // The same number at another time is another process.
    await node.put('runs/u1/processes', `${process.pid} 1\n${dead} 5\n`);
    expect(await survivors()).toEqual([]);
  });

  it('asks the engine to end, and waits for that', async () => {
    await node.answer('inspect', 'c1', inspected());
    await node.put('runs/u1/serve.pid', '77\n');
    const ending = node.run(program('end-engine.sh'), ['c1', join(node.folder, 'runs/u1'), '10']);
    await expect.poll(() => readFileSync(join(node.folder, 'calls'), 'utf8')).toContain('kill -s TERM -- "-$1"');
    const begun = performance.now();
    await node.put('runs/u1/serve.exit', 'signal 15\n');
    expect((await ending).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('does not wait for one that has ended, or never began', async () => {
    await node.put('runs/u1/serve.pid', '77\n');
    await node.put('runs/u1/serve.exit', '1\n');
    expect((await node.run(program('end-engine.sh'), ['c1', join(node.folder, 'runs/u1'), '10'])).code).toBe(0);
    expect((await node.run(program('end-engine.sh'), ['c1', join(node.folder, 'runs/u2'), '10'])).code).toBe(0);
    expect(readFileSync(join(node.folder, 'calls'), 'utf8')).not.toContain('exec');
  });
});
