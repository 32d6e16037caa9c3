import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A node of the pretend Ray cluster, as ray-nodes.py prints it. */
export interface RayNode {
  address: string;
  hostname: string;
  alive: boolean;
  gpu: number;
  head: boolean;
}

type Request = { join: RayNode } | { nodes: true };

/** Ray's table of nodes, kept by the head. A node lives as long as its connection; dead ones stay in the table. */
export async function serveGcs(head: RayNode): Promise<{ server: Server; real: number }> {
  const nodes: RayNode[] = [head];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      const request = JSON.parse(line) as Request;
      if ('join' in request) {
        const node = { ...request.join };
        nodes.push(node);
        socket.on('close', () => (node.alive = false));
      }
      socket.write(`${JSON.stringify(nodes)}\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, real: (server.address() as AddressInfo).port };
}

/** Undefined when the GCS is gone. */
export async function askNodes(real: number): Promise<RayNode[] | undefined> {
  const socket = await send(real, { nodes: true });
  if (!socket) return undefined;
  const nodes = await firstLine(socket);
  socket.destroy();
  return nodes;
}

/** The connection that keeps the node alive; it closes when the head dies. */
export async function joinGcs(real: number, node: RayNode): Promise<Socket | undefined> {
  const socket = await send(real, { join: node });
  return socket && (await firstLine(socket)) ? socket : undefined;
}

function send(real: number, request: Request): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: real, noDelay: true });
    socket.on('error', () => resolve(undefined));
    socket.on('connect', () => {
      socket.write(`${JSON.stringify(request)}\n`);
      resolve(socket);
    });
  });
}

function firstLine(socket: Socket): Promise<RayNode[] | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(JSON.parse(text) as RayNode[]);
    });
    socket.on('close', () => resolve(undefined));
  });
}
