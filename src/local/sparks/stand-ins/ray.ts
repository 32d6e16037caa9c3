import { setTimeout as delay } from 'node:timers/promises';
import { parseFlags } from './flags.ts';
import { joinGcs, serveGcs, type RayNode } from './gcs.ts';
import { ownAddress, readMachine, type Machine } from './machine.ts';
import { endWithOwner } from './owner.ts';
import { claimPort, findWay } from './ports.ts';

const START_MS = 300;
const RETRY_MS = 200;
const COMPLAIN_EVERY_MS = 5_000;
/** How long a worker looks for its head before it gives up, at the start and later. */
const HEAD_LIMIT_MS = 60_000;

const [folder = '', command = '', ...words] = process.argv.slice(2);
const machine = readMachine(folder);
const flags = parseFlags(words);
endWithOwner(machine);

if (command === '--version') print('ray, version 2.53.0');
else if (command !== 'start') end(`Error: No such command '${command}'.`, 2);
else if (flags.has('head')) await startHead();
else await startWorker();

async function startHead(): Promise<void> {
  const node = self(true);
  const port = Number(flags.get('port') ?? 6379);
  info(`Local node IP: ${node.address}`);
  const { real } = await serveGcs(node);
  await delay(START_MS);
  const claimed = claimPort(machine, { address: '0.0.0.0', port, real, pid: process.pid, kind: 'gcs' });
  if (!claimed) {
    const place = `${node.address}:${port}`;
    end(
      `ConnectionError: Ray is trying to start at ${place}, but is already running at ${place}. Please specify a different port using the \`--port\` flag of \`ray start\` command.`,
    );
  }
  started();
}

async function startWorker(): Promise<void> {
  const node = self(false);
  const [host = '', port = ''] = (flags.get('address') ?? '').split(':');
  info(`Local node IP: ${node.address}`);
  await delay(START_MS);
  const since = performance.now();
  let complaints = 0;
  for (;;) {
    const way = findWay(machine, host, Number(port));
    const head = way.kind === 'open' ? await joinGcs(way.real, node) : undefined;
    if (head) {
      head.on('close', () => setTimeout(raylet, HEAD_LIMIT_MS));
      break;
    }
    const waited = performance.now() - since;
    if (waited > (complaints + 1) * COMPLAIN_EVERY_MS) {
      complaints += 1;
      complain(`${host}:${port}`);
    }
    if (waited > HEAD_LIMIT_MS) end('RuntimeError: Failed to connect to GCS.');
    await delay(RETRY_MS);
  }
  started();
}

function self(head: boolean): RayNode {
  const given = machine.rayLosesAddress ? undefined : flags.get('node-ip-address');
  const address = given ?? ownAddress(machine);
  return { address, hostname: machine.name, alive: true, gpu: gpus(machine), head };
}

function gpus({ containerGpus }: Machine): number {
  return flags.has('num-gpus') ? Number(flags.get('num-gpus')) : containerGpus;
}

function started(): void {
  for (const text of ['--------------------', 'Ray runtime started.', '--------------------']) info(text, 'SUCC');
  info('To terminate the Ray runtime, run');
  info('  ray stop');
  if (!flags.has('block')) return process.exit(0);
  info('--block');
  info('This command will now block forever until terminated by a signal.');
  info(
    'Running subprocesses are monitored and a message will be printed if any of them terminate unexpectedly. Subprocesses exit with SIGTERM will be treated as graceful, thus NOT reported.',
  );
  setInterval(() => undefined, 1 << 30);
}

function raylet(): void {
  print('\nSome Ray subprocesses exited unexpectedly:');
  end('  raylet [exit code=1]');
}

function complain(place: string): void {
  print(
    `[${stamp('.')} W ${process.pid} ${process.pid}] gcs_rpc_client.h:151: Failed to connect to GCS at address ${place} within 5 seconds.`,
  );
  print(
    `${stamp(',')} WARNING node.py:1465 -- Unable to connect to GCS at ${place}. Check that (1) Ray GCS with matching version started successfully at the specified address, and (2) there is no firewall setting preventing access.`,
  );
}

function info(text: string, level = 'INFO'): void {
  print(`${stamp(',')} ${level} scripts.py:1152 -- ${text}`);
}

function stamp(separator: string): string {
  return new Date().toISOString().replace('T', ' ').replace('.', separator).replace('Z', '');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function end(text: string, exitCode = 1): never {
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
