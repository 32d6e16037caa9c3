import { createHash } from 'node:crypto';
import type { Finding } from '../finding.ts';
import type { Http } from '../remote/http.ts';
import type { Secret } from '../remote/secret.ts';
import { streamChat } from './stream-chat.ts';

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
  const reply = await streamChat(http, { ...options, question, maxTokens: MAX_TOKENS });
  if (reply.status !== 200) {
    const text = `The engine refused a chat completion with status ${reply.status}.`;
    return wrong(options, { text, short: `it refuses a chat, status ${reply.status}` }, reply.refusal);
  }
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
  const { ttftMs, tokensPerSecond } = reply;
  return { ok: true, answer: said, ttftMs, tokensPerSecond };
}

/** A sum that depends on the deployment: an answer from a cache or a fixed text would be wrong. */
export function smokeQuestion(uid: string): { question: string; answer: number } {
  const [a = 0, b = 0] = createHash('sha256').update(uid).digest();
  const [one, other] = [10 + (a % 40), 10 + (b % 40)];
  return { question: `What is ${one} + ${other}? Answer with the number only.`, answer: one + other };
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
