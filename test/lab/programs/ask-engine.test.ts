import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { programText } from '../../../src/cluster/remote/programs.ts';

/** An engine that answers everything with one text, and keeps what it was asked. */
async function engine(answer: string): Promise<{ url: string; asked: { path: string; key: string; body: string }[] }> {
  const asked: { path: string; key: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', key: request.headers.authorization ?? '', body });
      response.end(JSON.stringify({ choices: [{ message: { content: answer } }] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function ask(url: string, run: string, loadLimit = 5): Promise<{ code: number; output: string }> {
  const words = ['-', 'ask-engine', '--url', url, '--model', 'qwen35', '--run', run, '--load-limit', `${loadLimit}`];
  const question = ['--limit', '5', '--question', 'What is 11 + 12?', '--answer', '23'];
  const child = spawn('python3', [...words, ...question], { env: { PATH: process.env['PATH'], VLLM_API_KEY: 'k1' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(programText('plan-script/ask-engine.py'));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sparkops-run-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('asks the question with the key, and takes the right number anywhere in the answer', async () => {
  const { url, asked } = await engine('<think>maybe 99</think>It is 23.');
  expect(await ask(url, await folder())).toMatchObject({ code: 0 });
  expect(asked.map(({ path, key }) => `${path} ${key}`)).toEqual(['/health ', '/v1/chat/completions Bearer k1']);
  expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({
    model: 'qwen35',
    messages: [{ content: 'What is 11 + 12?' }],
  });
});

test('a wrong answer, and one that stands in the thoughts alone, is a failure', async () => {
  const { url } = await engine('<think>23</think>It is 24.');
  const { code, output } = await ask(url, await folder());
  expect(code).toBe(1);
  expect(output).toContain('The answer is wrong: 23 is right.');
});

test('an engine that has ended is not waited for', async () => {
  const run = await folder();
  await writeFile(join(run, 'serve.exit'), '1\n');
  const { code, output } = await ask('http://127.0.0.1:9', run, 60);
  expect(code).toBe(1);
  expect(output).toContain(`The engine has ended: see ${run}/serve.log`);
});
