import { expect, it } from 'vitest';
import { smokeQuestion, smokeTest, type SmokeOptions } from '../../../src/cluster/probes/smoke-test.ts';
import type { Http, HttpRequest } from '../../../src/cluster/remote/http.ts';
import { Secret } from '../../../src/cluster/remote/secret.ts';

const { question, answer } = smokeQuestion('abcdefghij');

interface Delta {
  content?: string | null;
  reasoning_content?: string;
  reasoning?: string;
}

function events(deltas: readonly Delta[], more: readonly object[] = []): string {
  const chunks = [...deltas.map((delta) => ({ choices: [{ delta }] })), ...more];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}: comment\n\ndata: [DONE]\n\n`;
}

/** An engine that says `text` in pieces of 7 characters; the clock moves 100 ms per reading of it. */
async function smoke(text: string, { status = 200, apiKey }: { status?: number; apiKey?: Secret } = {}) {
  const sent: HttpRequest[] = [];
  const http: Http = {
    request: () => Promise.reject(new Error('not asked for')),
    stream: async (request) => {
      sent.push(request);
      return { status, headers: {}, chunks: pieces(text), close: () => undefined };
    },
  };
  let clock = 0;
  const options: SmokeOptions = {
    uid: 'abcdefghij',
    servedName: 'qwen35',
    node: 'spark1',
    signal: AbortSignal.timeout(5_000),
    limitMs: 1_000,
    now: () => (clock += 100),
    ...(apiKey && { apiKey }),
  };
  return { result: await smokeTest(http, options), sent };
}

async function* pieces(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

it('asks for a sum that depends on the deployment', () => {
  expect(question).toMatch(/^What is \d\d \+ \d\d\? Answer with the number only\.$/);
  expect(smokeQuestion('abcdefghij')).toEqual({ question, answer });
  expect(smokeQuestion('abcdefghik').question).not.toBe(question);
});

it('reads a right answer, and measures it by the usage', async () => {
  const usage = { choices: [], usage: { completion_tokens: 5 } };
  const { result, sent } = await smoke(
    events([{ content: '' }, { content: 'It is ' }, { content: `${answer}` }, {}], [usage]),
  );
  expect(result).toEqual({ ok: true, answer: `It is ${answer}`, ttftMs: 100, tokensPerSecond: 40 });
  expect(sent[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
  expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
    model: 'qwen35',
    stream: true,
    messages: [{ role: 'user', content: question }],
  });
  expect(sent[0]?.headers).not.toHaveProperty('Authorization');
});

it('counts the pieces when the engine reports no usage', async () => {
  const { result } = await smoke(events([{ content: 'a' }, { content: ' ' }, { content: `${answer}` }]));
  expect(result).toMatchObject({ ok: true, tokensPerSecond: 10 });
});

it('tolerates a model that thinks first, whatever the field is called', async () => {
  const thinking = [{ reasoning_content: 'hm, 7?' }, { reasoning: 'no' }, { content: `${answer}` }];
  expect((await smoke(events(thinking))).result).toMatchObject({ ok: true, answer: `${answer}` });
  expect((await smoke(events([{ reasoning: `so ${answer}` }]))).result).toMatchObject({ ok: true });
  expect((await smoke(events([{ content: `<think>is it ${answer}?</think> 7` }]))).result).toMatchObject({ ok: false });
});

it('shows the key where there is one', async () => {
  const { sent } = await smoke(events([{ content: `${answer}` }]), { apiKey: new Secret('k3y') });
  expect(sent[0]?.headers).toMatchObject({ Authorization: 'Bearer k3y' });
});

it.each([
  ['a wrong answer', events([{ content: '!!!!!!!!' }]), 200, `was wrong (${answer} is right)`, ['!!!!!!!!']],
  ['digits inside another number', events([{ content: `1${answer}0` }]), 200, 'was wrong', [`1${answer}0`]],
  ['an empty answer', events([{ content: null }, {}]), 200, 'was empty', []],
  [
    'a refusal',
    '{"error":"no chat template"}',
    400,
    'refused a chat completion with status 400',
    ['{"error":"no chat template"}'],
  ],
  [
    'an answer that breaks off',
    events([], [{ error: { message: 'EngineDeadError' } }]),
    200,
    'broke off',
    ['EngineDeadError'],
  ],
  ['one that breaks off without a reason', events([], [{ error: {} }]), 200, 'broke off', ['no reason given']],
])('does not let %s pass', async (_, text, status, message, lines) => {
  const { result } = await smoke(text, { status });
  expect(result).toMatchObject({
    ok: false,
    finding: { node: 'spark1', text: expect.stringContaining(message), lines },
  });
});
