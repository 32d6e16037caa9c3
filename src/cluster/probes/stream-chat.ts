import type { Http, HttpStream } from '../remote/http.ts';
import type { Secret } from '../remote/secret.ts';
import { readEvents } from './server-sent-events.ts';

export interface ChatOptions {
  servedName: string;
  question: string;
  maxTokens: number;
  apiKey?: Secret;
  signal: AbortSignal;
  limitMs: number;
  /** Milliseconds, for measuring. */
  now?: () => number;
}

export interface ChatReply {
  /** Of HTTP; other than 200: `refusal` is the body, and nothing else is known. */
  status: number;
  refusal: string;
  content: string;
  reasoning: string;
  tokens: number;
  /** From the question to the first token. */
  ttftMs: number;
  /** Without the first token, which waits for the prompt to be read. */
  tokensPerSecond: number;
  /** What the engine said when it broke off. */
  error?: string;
}

/** One question as a streamed chat completion, measured. */
export async function streamChat(http: Http, options: ChatOptions): Promise<ChatReply> {
  const { servedName, question, maxTokens, apiKey, signal, limitMs, now = () => performance.now() } = options;
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
      max_tokens: maxTokens,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
      chat_template_kwargs: { enable_thinking: false },
    }),
    signal,
    limitMs,
  });
  const { status } = stream;
  const nothing = { content: '', reasoning: '', tokens: 0, ttftMs: 0, tokensPerSecond: 0 };
  if (status !== 200) return { ...nothing, status, refusal: await whole(stream) };

  const { firstAt, lastAt, ...reply } = await readReply(stream, now);
  const first = firstAt ?? begun;
  const writing = ((lastAt ?? first) - first) / 1000;
  return {
    ...reply,
    status,
    refusal: '',
    ttftMs: Math.round(first - begun),
    tokensPerSecond: writing > 0 ? Math.round(((reply.tokens - 1) / writing) * 10) / 10 : 0,
  };
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

async function whole({ chunks }: HttpStream): Promise<string> {
  let body = '';
  for await (const chunk of chunks) body += chunk;
  return body;
}
