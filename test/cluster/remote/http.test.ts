import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { httpOver, type HttpRequest } from '../../../src/cluster/remote/http.ts';
import { sshTransport } from '../../../src/cluster/remote/ssh-transport.ts';
import { clusterOf, readKey, startSshServer } from '../../support/ssh-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function ask(more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', path: '/', limitMs: 5_000, signal: new AbortController().signal, ...more };
}

/** An engine on a node that is reached over SSH. */
async function engine(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = await startSshServer();
  const transport = sshTransport(clusterOf(node), { connectMs: 3_000, readFile: readKey });
  const address = server.address();
  const target = { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 };
  const { signal } = new AbortController();
  cleanups.push(
    () => node.close(),
    () => transport.close(),
    () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  );
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { http: httpOver((limitMs) => transport.dial('spark1', target, { signal, limitMs })), connections, target };
}

async function allClosed(connections: () => Promise<number>): Promise<void> {
  await expect.poll(connections, { timeout: 3_000, interval: 10 }).toBe(0);
}

describe('a request', () => {
  test('gives status, headers and body, and closes its channel', async () => {
    const { http, connections } = await engine((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        response.writeHead(401, { 'x-kind': request.headers['content-type'] ?? 'none' });
        response.end(`${request.method} ${request.url} ${body} ü${'x'.repeat(100_000)}`);
      });
    });
    const body = '{"a":"日本"}';
    const answer = await http.request(
      ask({ method: 'POST', path: '/v1', body, headers: { 'content-type': 'application/json' } }),
    );
    expect(answer.status).toBe(401);
    expect(answer.headers['x-kind']).toBe('application/json');
    expect(answer.body === `POST /v1 ${body} ü${'x'.repeat(100_000)}`).toBe(true);
    await allClosed(connections);
  });

  test('ends at its limit, and with its signal', async () => {
    const { http, connections } = await engine(() => {});
    await expect(http.request(ask({ limitMs: 100 }))).rejects.toMatchObject({ code: 'timeout' });
    const ending = new AbortController();
    const asked = http.request(ask({ signal: ending.signal }));
    setTimeout(() => ending.abort(new Error('cancelled')), 50);
    await expect(asked).rejects.toThrow('cancelled');
    await allClosed(connections);
  });

  test('says that nobody listens, or that the connection broke', async () => {
    const { http, target } = await engine((request, response) => {
      if (request.url === '/half') response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(http.request(ask())).rejects.toMatchObject({ code: 'unreachable' });
    await expect(http.request(ask({ path: '/half' }))).rejects.toMatchObject({ code: 'unreachable' });
    target.port = 1;
    await expect(http.request(ask())).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('127.0.0.1:1 from there: refused'),
    });
  });
});

describe('a stream', () => {
  test('gives chunks as they come, and closes when the reader leaves', async () => {
    const { http, connections } = await engine((_request, response) => {
      response.write('data: 1\n\n');
      const timer = setInterval(() => response.write('data: 日\n\n'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const { status, chunks } = await http.stream(ask());
    let text = '';
    for await (const chunk of chunks) {
      text += chunk;
      if (text.length > 20) break;
    }
    expect(status).toBe(200);
    expect(text.startsWith('data: 1\n\ndata: 日\n\n')).toBe(true);
    await allClosed(connections);
  });

  test('unread, is closed by hand; read, ends at its limit', async () => {
    const { http, connections } = await engine((_request, response) => void response.write('x'));
    const unread = await http.stream(ask());
    unread.close();
    await allClosed(connections);
    const { chunks } = await http.stream(ask({ limitMs: 100 }));
    const read = async () => {
      for await (const chunk of chunks) expect(chunk).toBe('x');
    };
    await expect(read()).rejects.toMatchObject({ code: 'timeout' });
    await allClosed(connections);
  });
});
