import { createServer, type ServerResponse } from 'node:http';
import type { Health } from './health.ts';
import { listenOn, type Listening } from './listen-on.ts';

export interface OperatorsPortOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  health: () => Promise<Health>;
  metrics: () => Promise<{ type: string; text: string }>;
}

/** GET /healthz (200, or 503 when a part is unwell) and /metrics. Rejects with 'config' when the port can't be had. */
export async function openOperatorsPort({ host, port, health, metrics }: OperatorsPortOptions): Promise<Listening> {
  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/healthz') {
      const found = await health();
      return send(response, found.ok ? 200 : 503, 'application/json', `${JSON.stringify(found, undefined, 2)}\n`);
    }
    if (path === '/metrics') {
      const { type, text } = await metrics();
      return send(response, 200, type, text);
    }
    send(response, 404, 'text/plain', '/healthz, /metrics\n');
  }

  const server = createServer(({ url = '/', method }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'text/plain', 'GET\n');
    answer(url.split('?', 1)[0] ?? '/', response).catch(() => send(response, 500, 'text/plain', 'failed\n'));
  });
  return await listenOn(server, {
    host,
    port,
    what: '/healthz and /metrics',
    hint: 'Choose another port (SPARKOPS_METRICS_PORT) or address (SPARKOPS_METRICS_HOST).',
  });
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text);
}
