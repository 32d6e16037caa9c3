import { Queue } from 'bullmq';
import { createServer } from 'node:http';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { keysOf } from '../jobs/keys.ts';

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
export async function openBoard({ port, realm, redis, log }: BoardOptions): Promise<{
  port: number;
  stop: () => Promise<void>;
}> {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new OperatorError('config', `The board can't be offered at ${LOOPBACK}:${port}: ${error.message}`, {
          hint: 'Choose another port (SPARKOPS_BOARD_PORT).',
          cause: error,
        }),
      ),
    );
    server.listen(port, LOOPBACK, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
