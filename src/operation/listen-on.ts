import type { Server } from 'node:http';
import { OperatorError } from '../errors.ts';

export interface Listening {
  port: number;
  stop: () => Promise<void>;
}

/** Listens there, or rejects with 'config': what is offered there can't be, and `hint`. */
export async function listenOn(
  server: Server,
  { host, port, what, hint }: { host: string; port: number; what: string; hint: string },
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new OperatorError('config', `${what} can't be offered at ${host}:${port}: ${error.message}`, {
          hint,
          cause: error,
        }),
      ),
    );
    server.listen(port, host, resolve);
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
