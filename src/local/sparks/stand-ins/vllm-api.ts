import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openGpu, type Gpu } from './vllm-gpu.ts';
import { metricsText, type Counters } from './vllm-metrics.ts';
import { say } from './vllm-lines.ts';

interface ChatRequest {
  model?: string;
  messages?: { role: string; content: unknown }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
}

interface Engine {
  servedName: string;
  counters: Counters;
  gpu: Gpu;
}

/** vLLM's OpenAI server on a socket of 127.0.0.1; resolves with its port. */
export async function openApi(servedName: string, machineFolder: string): Promise<number> {
  const counters: Counters = { running: 0, prompt: 0, generated: 0, finished: 0 };
  const engine = { servedName, counters, gpu: openGpu(machineFolder) };
  const server = createServer((request, response) => {
    response.on('finish', () => {
      const place = `${request.socket.remoteAddress ?? ''}:${request.socket.remotePort ?? 0}`;
      const what = `${request.method ?? ''} ${request.url ?? ''} HTTP/1.1`;
      say(
        `(APIServer pid=${process.pid}) INFO:     ${place} - "${what}" ${response.statusCode} ${response.statusMessage}`,
      );
    });
    answer(engine, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { servedName, counters } = engine;
  switch (`${request.method ?? ''} ${request.url ?? ''}`) {
    case 'GET /health':
      response.writeHead(200).end();
      return;
    case 'GET /v1/models':
      json(response, 200, {
        object: 'list',
        data: [{ id: servedName, object: 'model', created: 1_775_000_000, owned_by: 'vllm', max_model_len: 262_144 }],
      });
      return;
    case 'GET /metrics':
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(metricsText(servedName, counters));
      return;
    case 'POST /v1/chat/completions':
      await complete(engine, (await bodyOf(request)) as ChatRequest, response);
      return;
    default:
      json(response, 404, { detail: 'Not Found' });
  }
}

async function complete(
  { servedName, counters, gpu }: Engine,
  chat: ChatRequest,
  response: ServerResponse,
): Promise<void> {
  if (chat.model !== undefined && chat.model !== servedName) {
    const message = `The model \`${chat.model}\` does not exist.`;
    json(response, 404, { error: { message, type: 'NotFoundError', param: 'model', code: 404 } });
    return;
  }
  const all = reply(lastText(chat)).match(/\s*\S+/g) ?? [];
  const tokens = all.slice(0, chat.max_tokens ?? chat.max_completion_tokens ?? all.length);
  const finish = tokens.length < all.length ? 'length' : 'stop';
  const prompt = lastText(chat).split(/\s+/).length + 12;
  const usage = { prompt_tokens: prompt, total_tokens: prompt + tokens.length, completion_tokens: tokens.length };
  const head = {
    id: `chatcmpl-${Date.now().toString(16)}`,
    created: Math.floor(Date.now() / 1_000),
    model: servedName,
  };
  run(1);
  try {
    if (chat.stream) await stream();
    else {
      for (let left = tokens.length; left > 0; left -= 1) await generate();
      const message = { role: 'assistant', content: tokens.join('') };
      json(response, 200, {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      });
    }
  } finally {
    run(-1);
  }
  counters.prompt += prompt;
  counters.finished += 1;

  function run(change: number): void {
    counters.running += change;
    gpu.busy(counters.running);
  }

  async function generate(): Promise<void> {
    await gpu.token();
    counters.generated += 1;
  }

  async function stream(): Promise<void> {
    const send = (more: object) =>
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...more })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
    for (const content of tokens) {
      await generate();
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    }
    send({ choices: [{ index: 0, delta: { content: '' }, finish_reason: finish, stop_reason: null }] });
    if (chat.stream_options?.include_usage) send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  }
}

function reply(question: string): string {
  const last = /\bcount to (\d+)/i.exec(question)?.[1];
  if (last !== undefined) return Array.from({ length: Number(last) }, (_, at) => at + 1).join(' ');
  const [, a, operator, b] = /(-?\d+)\s*([+*x×-])\s*(\d+)/.exec(question) ?? [];
  if (a === undefined || b === undefined) return 'Hello! How can I help you today?';
  const result =
    operator === '+' ? Number(a) + Number(b) : operator === '-' ? Number(a) - Number(b) : Number(a) * Number(b);
  return `The answer is ${result}`;
}

function lastText(chat: ChatRequest): string {
  const content = chat.messages?.findLast((message) => message.role === 'user')?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text || '{}');
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
