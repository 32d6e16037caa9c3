import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, type JsonObject } from './json.ts';

export interface Request {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export type Reply = { status: number; headers?: Record<string, string> } & (
  | { json: unknown; text?: never }
  | { text: string | Buffer; json?: never }
);

const LARGEST_BODY = 20_000_000;
// In a form these come as JSON text.
const JSON_FIELDS = new Set(['attachments', 'blocks', 'files', 'message', 'metadata', 'view']);

export async function readRequest(incoming: IncomingMessage, base: string): Promise<Request> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > LARGEST_BODY) throw new Error('The request is too large');
    chunks.push(bytes);
  }
  return {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', base),
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  const isJson = reply.text === undefined;
  const type = isJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
  response.writeHead(reply.status, { 'content-type': type, 'x-content-type-options': 'nosniff', ...reply.headers });
  response.end(isJson ? JSON.stringify(reply.json) : reply.text);
}

/** The arguments of a call, whether they came in the URL, as a form or as JSON. */
export function readArguments({ url, headers, body }: Request): JsonObject {
  const inUrl = Object.fromEntries(url.searchParams);
  const text = body.toString('utf8');
  if (headers['content-type']?.startsWith('application/json')) return { ...inUrl, ...readJson(text) };
  const form = Object.fromEntries(new URLSearchParams(text));
  return { ...inUrl, ...Object.fromEntries(Object.entries(form).map(([key, value]) => [key, fieldValue(key, value)])) };
}

export function readJson(text: string): JsonObject {
  const value = parsed(text || '{}');
  return isObject(value) ? value : {};
}

function fieldValue(key: string, value: string): unknown {
  return JSON_FIELDS.has(key) ? (parsed(value) ?? value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
