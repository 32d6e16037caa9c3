import { createHash } from 'node:crypto';
import type { Finding } from '../finding.ts';
import type { Http, HttpStream } from '../remote/http.ts';
import type { Secret } from '../remote/secret.ts';
import { readEvents } from './server-sent-events.ts';

export interface SmokeOptions {
  /** Decides the question. */
  uid: string;
  servedName: string;
  node: string;
  apiKey?: Secret;
  signal: AbortSignal;
  limitMs: number;
  /** Milliseconds, for measuring. */
  now?: () => number;
}

export type SmokeResult =
  | { ok: true; answer: string; ttftMs: number; tokensPerSecond: number }
  | { ok: false; finding: Finding };

// Room for a model that thinks first.
const MAX_TOKENS = 1024;

/** A real streamed chat completion whose answer is read: an engine can answer health checks and write nonsense. */
export async function smokeTest(http: Http, options: SmokeOptions): Promise<SmokeResult> {
  const { question, answer } = smokeQuestion(options.uid);
  const { apiKey, servedName, signal, limitMs, now = () => performance.now() } = options;
  const begun = now();
  const stream = await http.stream({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      'Content-Type': 'application/json',
      ...(apiKey && { Authorization: `Bearer ${apiKey.reveal()}` }),
    },
    body: JSON.stringify({
      model: servedName,
      messages: [{ role: 'user', content: question }],
      max_tokens: MAX_TOKENS,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
      chat_template_kwargs: { enable_thinking: false },
    }),
    signal,
    limitMs,
  });
  if (stream.status !== 200) return refused(stream, options);
  const reply = await readReply(stream, now);
  if (reply.error !== undefined)
    return wrong(
      options,
      { text: `The engine broke off its answer to "${question}".`, short: 'its answer broke off' },
      reply.error,
    );

  const said = (reply.content.trim() === '' ? reply.reasoning : reply.content).trim();
  if (said === '') {
    return wrong(
      options,
      { text: `The engine's answer to "${question}" was empty.`, short: 'its answer was empty' },
      '',
    );
  }
  if (!numbersIn(said).includes(answer)) {
    const text = `The engine's answer to "${question}" was wrong (${answer} is right).`;
    return wrong(options, { text, short: 'its answer was wrong' }, said);
  }
  const first = reply.firstAt ?? begun;
  const writing = ((reply.lastAt ?? first) - first) / 1000;
  return {
    ok: true,
    answer: said,
    ttftMs: Math.round(first - begun),
    tokensPerSecond: writing > 0 ? Math.round(((reply.tokens - 1) / writing) * 10) / 10 : 0,
  };
}

/** A sum that depends on the deployment: an answer from a cache or a fixed text would be wrong. */
export function smokeQuestion(uid: string): { question: string; answer: number } {
  const [a = 0, b = 0] = createHash('sha256').update(uid).digest();
  const [one, other] = [10 + (a % 40), 10 + (b % 40)];
  return { question: `What is ${one} + ${other}? Answer with the number only.`, answer: one + other };
}

interface Reply {
  content: string;
  reasoning: string;
  tokens: number;
  firstAt?: number;
  lastAt?: number;
  error?: string;
}

interface Chunk {
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null; reasoning?: string | null } }[];
  usage?: { completion_tokens?: number } | null;
  error?: { message?: string } | string;
}

async function readReply(stream: HttpStream, now: () => number): Promise<Reply> {
  const reply: Reply = { content: '', reasoning: '', tokens: 0 };
  let reported: number | undefined;
  for await (const data of readEvents(stream.chunks)) {
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error !== undefined) {
      reply.error = typeof chunk.error === 'string' ? chunk.error : (chunk.error.message ?? 'no reason given');
    }
    reported = chunk.usage?.completion_tokens ?? reported;
    const delta = chunk.choices?.[0]?.delta;
    const content = delta?.content ?? '';
    const reasoning = delta?.reasoning_content ?? delta?.reasoning ?? '';
    if (content === '' && reasoning === '') continue;
    reply.content += content;
    reply.reasoning += reasoning;
    reply.tokens++;
    reply.lastAt = now();
    reply.firstAt ??= reply.lastAt;
  }
  return { ...reply, tokens: reported ?? reply.tokens };
}

async function refused(stream: HttpStream, options: SmokeOptions): Promise<SmokeResult> {
  let body = '';
  for await (const chunk of stream.chunks) body += chunk;
  const { status } = stream;
  return wrong(
    options,
    {
      text: `The engine refused a chat completion with status ${status}.`,
      short: `it refuses a chat, status ${status}`,
    },
    body,
  );
}

function wrong({ node }: SmokeOptions, what: { text: string; short: string }, proof: string): SmokeResult {
  const lines =
    proof === ''
      ? []
      : proof
          .split('\n')
          .slice(0, 15)
          .map((line) => line.slice(0, 300));
  const remedy = 'Look at the log and at the recipe: chat template, quantization, parsers.';
  return { ok: false, finding: { ...what, node, lines, remedy } };
}

function numbersIn(text: string): number[] {
  return [...text.replace(/<think>.*?<\/think>/gs, '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
}
