import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readMachine } from './machine.ts';
import { endWithOwner } from './owner.ts';
import { claimPort, releasePort } from './ports.ts';

// A model that somebody started without sparkops: `launch MIB [--port PORT]`. It holds GPU memory and listens until it is ended.
const [folder = '', mib = '0', , port = ''] = process.argv.slice(2);
// What `ps` calls it.
process.title = 'python3';
const machine = readMachine(folder);
endWithOwner(machine);
const held = join(folder, 'gpu', String(process.pid));
mkdirSync(join(folder, 'gpu'), { recursive: true });
writeFileSync(held, `${mib}\n`);

const server = createServer((_, response) => response.writeHead(200).end());
server.listen(0, '127.0.0.1', () => {
  const { port: real } = server.address() as AddressInfo;
  if (port) claimPort(machine, { address: '0.0.0.0', port: Number(port), real, pid: process.pid, kind: 'foreign' });
});

process.on('SIGTERM', () => {
  rmSync(held, { force: true });
  if (port) releasePort(machine, Number(port));
  process.exit(0);
});
