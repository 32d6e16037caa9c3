import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Machine } from './stand-ins/machine.ts';
import { claimPort, releasePort } from './stand-ins/ports.ts';

/** A foreign program that listens on a port of the machine, on all addresses. */
export async function listenAsStranger(machine: Machine, port: number): Promise<{ stop: () => Promise<void> }> {
  const server = createServer((_, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: real } = server.address() as AddressInfo;
  claimPort(machine, { address: '0.0.0.0', port, real, pid: process.pid, kind: 'foreign' });
  return {
    stop: async () => {
      releasePort(machine, port);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
