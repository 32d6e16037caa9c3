import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { OperatorError } from '../errors.ts';

export interface RunningRedis {
  url: string;
  port: number;
  pid: number;
  /** Ends it in order; the data stays in its folder. */
  stop: () => Promise<void>;
  /** kill -9, as a power cut would. */
  kill: () => Promise<void>;
}

export interface RedisOptions {
  /** Holds the append-only file; the same folder again is the same data. */
  folder: string;
  /** Default: a free one. */
  port?: number;
  program?: string;
  libraries?: readonly string[];
}

const READY_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 5_000;

/** A Redis of our own on 127.0.0.1, with the settings that the queue needs: append-only file, nothing evicted. */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  await mkdir(options.folder, { recursive: true });
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const server = launch(options, port);
    if (await server.ready) return handle(server.child, port);
    await end(server.child, 'SIGKILL');
    // Another process may take the free port between our look and its start.
    if (attempt < attempts && /in use/i.test(server.output())) continue;
    throw new OperatorError('store-away', `The Redis of ${options.folder} did not start on 127.0.0.1:${port}`, {
      hint: 'Read its lines; set REDIS_URL to use another Redis.',
      lines: server.output().split('\n').filter(Boolean).slice(-15),
    });
  }
}

interface Server {
  child: ChildProcess;
  output: () => string;
  /** True once it takes connections, false if it never will. */
  ready: Promise<boolean>;
}

function launch(options: RedisOptions, port: number): Server {
  const libraries = options.libraries?.length ? { LD_LIBRARY_PATH: options.libraries.join(':') } : {};
  // Its own process group: Ctrl-C must reach us first, or the queue loses its store in mid-stop.
  const child = spawn(options.program ?? 'redis-server', settings(options.folder, port), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...libraries },
  });
  let output = '';
  const ready = new Promise<boolean>((resolve) => {
    // Its own word, not an answer on the port: another Redis may stand there.
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
      if (output.includes('Ready to accept connections')) resolve(true);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      output += `\n${error.message}`;
      resolve(false);
    });
    child.on('close', () => resolve(false));
    setTimeout(() => resolve(false), READY_LIMIT_MS).unref();
  });
  return { child, output: () => output, ready };
}

function settings(folder: string, port: number): string[] {
  const values = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}

function handle(child: ChildProcess, port: number): RunningRedis {
  const atExit = () => child.kill('SIGTERM');
  process.once('exit', atExit);
  const finish = async (signal: 'SIGTERM' | 'SIGKILL') => {
    process.off('exit', atExit);
    await end(child, signal);
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    stop: () => finish('SIGTERM'),
    kill: () => finish('SIGKILL'),
  };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (ended(child) || child.pid === undefined) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exit;
  clearTimeout(hard);
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
