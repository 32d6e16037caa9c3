import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { OperatorError } from '../../errors.ts';
import { unlessAborted } from './limit.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
  /** From the call to the last byte. */
  limitMs: number;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface HttpStream {
  status: number;
  headers: IncomingHttpHeaders;
  /** Text as it comes, never cut inside a character. The connection is closed at its end, or when the loop is left. */
  chunks: AsyncIterable<string>;
  /** For who doesn't read the chunks. */
  close: () => void;
}

/** Whatever the status, these resolve. They reject with 'unreachable' when the connection broke, 'timeout' past the limit. */
export interface Http {
  request: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Resolves with the headers; the limit goes on for the chunks. */
  stream: (request: HttpRequest) => Promise<HttpStream>;
}

const MAX_BODY = 8 * 1024 * 1024;

/** HTTP over connections that `dial` opens (one a request), such as a machine's to its engine. */
export function httpOver(dial: (limitMs: number) => Promise<Duplex>): Http {
  const stream = (request: HttpRequest) => openStream(dial, request);
  return {
    stream,
    async request(request) {
      const { status, headers, chunks } = await stream(request);
      let body = '';
      for await (const chunk of chunks) {
        body += chunk;
        if (body.length > MAX_BODY) throw broken(request, new Error('the answer is longer than 8 MB'));
      }
      return { status, headers, body };
    },
  };
}

async function openStream(dial: (limitMs: number) => Promise<Duplex>, request: HttpRequest): Promise<HttpStream> {
  const ended = new AbortController();
  const onAbort = () => ended.abort(request.signal.reason);
  request.signal.throwIfAborted();
  request.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => ended.abort(late(request)), request.limitMs);
  let socket: Duplex | undefined;

  function close(): void {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
    socket?.destroy();
  }

  /** The socket of a dial that comes after the end is closed as well. */
  async function connect(): Promise<Duplex> {
    socket = await dial(request.limitMs);
    if (ended.signal.aborted) socket.destroy();
    ended.signal.addEventListener('abort', close, { once: true });
    return socket;
  }

  try {
    const response = await unlessAborted(
      connect().then((opened) => send(opened, request)),
      ended.signal,
    );
    response.setEncoding('utf8');
    const chunks = readChunks(response, request, ended.signal, close);
    return { status: response.statusCode ?? 0, headers: response.headers, chunks, close };
  } catch (error) {
    close();
    throw error;
  }
}

function send(socket: Duplex, request: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, path, headers = {} } = request;
    // Without an agent the request asks for "Connection: close", as the channel serves it alone.
    const sent = httpRequest({
      method,
      path,
      headers: { Host: '127.0.0.1', ...headers },
      createConnection: () => socket,
    });
    sent.on('response', resolve);
    sent.on('error', (error) => reject(broken(request, error)));
    sent.end(request.body);
  });
}

async function* readChunks(
  response: IncomingMessage,
  request: HttpRequest,
  ended: AbortSignal,
  close: () => void,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const chunk of response) yield String(chunk);
  } catch (error) {
    ended.throwIfAborted();
    throw broken(request, error);
  } finally {
    close();
  }
}

function broken({ method, path }: HttpRequest, cause: unknown): OperatorError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError('unreachable', `${method} ${path}: ${why}`, {
    hint: 'Is the engine still running? Look at its log.',
    cause,
  });
}

function late({ method, path, limitMs }: HttpRequest): OperatorError {
  return new OperatorError('timeout', `${method} ${path}: no whole answer within ${limitMs / 1_000} s`, {
    hint: 'The engine accepts connections but does not answer: look at its log.',
  });
}
