import { Queue } from 'bullmq';
import { createServer } from 'node:http';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { keysOf } from '../jobs/keys.ts';
import { listenOn, type Listening } from './listen-on.ts';

export interface BoardOptions {
  /** 0: any free one. */
  port: number;
  realm: string;
  redis: Redis;
  log: Logger;
}

const LOOPBACK = '127.0.0.1';
const NAMES = new Set([LOOPBACK, 'localhost']);

/** BullMQ's board, to look only, for this machine only: it knows no users. Reach it through an SSH tunnel. */
export async function openBoard({ port, realm, redis, log }: BoardOptions): Promise<Listening> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ]);
  const queues = ['deploys', 'looks'].map((name) => {
    const queue = new Queue(name, { connection: redis, prefix: keysOf(realm).prefix });
    queue.on('error', (error) => log.debug({ err: error }, `Queue ${name}`));
    return queue;
  });
  const serverAdapter = new ExpressAdapter();
  createBullBoard({
    // A retried or removed job would go behind the back of the records.
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'sparkops' } },
  });
  const board = serverAdapter.getRouter();
  const server = createServer((request, response) => {
    // Another site's page must not reach it through a name of its own for this address.
    if (NAMES.has((request.headers.host ?? '').replace(/:\d+$/, ''))) board(request, response);
    else response.writeHead(403).end();
  });
  return await listenOn(server, {
    host: LOOPBACK,
    port,
    what: 'The board',
    hint: 'Choose another port (SPARKOPS_BOARD_PORT).',
  });
}
