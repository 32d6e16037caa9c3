import { OperatorError } from '../../errors.ts';
import type { Http } from '../remote/http.ts';
import { streamChat, type ChatOptions } from './stream-chat.ts';

export interface BenchRun {
  /** What was asked for, for people: "short answer". */
  name: string;
  ttftMs: number;
  tokens: number;
  tokensPerSecond: number;
}

const MAX_TOKENS = 96;

// A second question of the same text would find its prompt in the cache.
const QUESTIONS: readonly { name: string; question: (nonce: string) => string }[] = [
  { name: 'short answer', question: (nonce) => `Run ${nonce}. Say hello in one sentence.` },
  { name: 'long answer', question: (nonce) => `Run ${nonce}. Count from one to one hundred in words.` },
  {
    name: 'long prompt',
    question: (nonce) =>
      `Run ${nonce}. ${'A cluster has a head and a worker, and each of them has one GPU. '.repeat(120)} What is a cluster, in two sentences?`,
  },
];

/** Three streamed questions, one after another. Rejects when the engine refuses one or breaks it off. */
export async function benchEngine(
  http: Http,
  { nonce, ...options }: Pick<ChatOptions, 'servedName' | 'apiKey' | 'signal' | 'limitMs' | 'now'> & { nonce: string },
): Promise<readonly BenchRun[]> {
  const runs: BenchRun[] = [];
  for (const { name, question } of QUESTIONS) {
    const reply = await streamChat(http, { ...options, question: question(nonce), maxTokens: MAX_TOKENS });
    if (reply.status !== 200 || reply.error !== undefined) throw broken(reply.status, reply.error ?? reply.refusal);
    const { ttftMs, tokens, tokensPerSecond } = reply;
    runs.push({ name, ttftMs, tokens, tokensPerSecond });
  }
  return runs;
}

function broken(status: number, proof: string): OperatorError {
  const what = status === 200 ? 'The engine broke off its answer.' : `The engine refused a chat with status ${status}.`;
  return new OperatorError('command-failed', what, {
    hint: 'diagnose shows what runs, logs the last lines.',
    lines: proof === '' ? [] : proof.split('\n').slice(0, 5),
  });
}
