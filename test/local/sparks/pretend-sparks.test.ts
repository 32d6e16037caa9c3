import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import ssh2 from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClusterFile } from '../../../src/config/cluster-file.ts';
import { makeKey } from '../../../src/local/sparks/keys.ts';
import { startPretendSparks } from '../../../src/local/sparks/pretend-sparks.ts';
import { withEnvironment } from '../../../src/local/sparks/stand-ins/processes.ts';
import { startBench, until, type Bench } from './bench.ts';
import { connect, run, visit } from './visitor.ts';

let bench: Bench;
const cleanups: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  bench = await startBench();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

afterAll(async () => {
  await bench.stop();
});

async function connectHead(options: Partial<ssh2.ConnectConfig> = {}) {
  const { nodes, ssh } = bench.sparks.clusterFile();
  const client = await connect({
    host: nodes[0]?.address ?? '',
    port: nodes[0]?.port ?? 0,
    username: ssh.user,
    privateKey: await readFile(ssh.key ?? ''),
    ...options,
  });
  cleanups.push(() => void client.end());
  return client;
}

describe('the cluster file', () => {
  it('is what the configuration takes, with a folder and a host key for each node', () => {
    const file = bench.sparks.clusterFile();
    expect(ClusterFile.parse(structuredClone(file))).toEqual(file);
    expect(file.nodes).toMatchObject([
      { name: 'spark1', role: 'head', address: '127.0.0.1', fabric: { address: '192.168.200.12' } },
      { name: 'spark2', address: '192.168.200.13', port: 22, via: ['spark1'], fabric: { interface: 'enp1s0f0np0' } },
    ]);
    expect(new Set(file.nodes.map((node) => node.host_key)).size).toBe(2);
    expect(new Set(file.nodes.map((node) => node.paths?.state)).size).toBe(2);
  });
});

describe('commands', () => {
  it('run in sh with a PATH of tools and stand-ins only, and a home of the machine', async () => {
    const { stdout } = await bench.run(
      'spark2',
      'echo "$PATH"; echo "$HOME"; pwd; env | wc -l; for t in node apt-get python3 ray; do command -v $t; done',
    );
    const machine = join(bench.folder, 'machines/spark2');
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      join(machine, 'bin'),
      join(machine, 'home'),
      join(machine, 'home'),
    ]);
    expect(stdout).not.toMatch(/node$|apt-get|python3|ray/m);
    expect((await bench.run('spark1', 'nothing-like-this')).exitCode).toBe(127);
  });

  it('give back output, errors, input and the exit code', async () => {
    const result = await bench.run('spark1', 'cat; echo bad >&2; exit 3', 'a\nb');
    expect(result).toEqual({ exitCode: 3, stdout: 'a\nb', stderr: 'bad\n' });
    const big = 'x'.repeat(1_000_000);
    expect((await bench.run('spark2', 'cat', big)).stdout).toHaveLength(big.length);
  });

  it('have the tools that the node programs call', async () => {
    const text =
      'for t in flock timeout setsid sed awk tail head cut sort ls cp mv date sha256sum id tr od; do command -v "$t" || echo "no $t"; done';
    expect((await bench.run('spark1', text)).stdout).not.toContain('no ');
    expect((await bench.run('spark1', 'flock -o -E 76 -w 1 lock timeout -k 1 0.1 sleep 5')).exitCode).toBe(124);
  });

  it('are written down with their ends', async () => {
    await bench.run('spark2', 'exit 9');
    expect(bench.sparks.commands.at(-1)).toMatchObject({ node: 'spark2', text: 'exit 9', exitCode: 9 });
  });

  it('outlive their connection', async () => {
    const client = await connectHead();
    client.exec('sleep 0.3; echo late > outlived', () => undefined);
    await until(() => bench.sparks.commands.some((one) => one.text.includes('outlived')));
    client.destroy();
    const text = await until(async () => (await bench.run('spark1', 'cat outlived 2>/dev/null')).stdout);
    expect(text).toBe('late\n');
  });

  it('take at most ten sessions of one connection', async () => {
    const client = await connectHead();
    const results = await Promise.allSettled(Array.from({ length: 11 }, () => run(client, 'sleep 0.3')));
    const refused = results.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(String(refused[0]?.reason)).toContain('Channel open failure');
    expect((await run(client, 'echo again')).stdout).toBe('again\n');
  });

  it('take milliseconds', async () => {
    const times: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const since = performance.now();
      await bench.run('spark2', 'true');
      times.push(performance.now() - since);
    }
    // Nagle's algorithm would hold every one of them up; a busy computer only some.
    expect(Math.min(...times)).toBeLessThan(40);
  });
});

describe('logging in', () => {
  it('works with the key of the cluster file alone', async () => {
    const other = makeKey().text;
    await expect(connectHead({ privateKey: other })).rejects.toThrow('All configured authentication methods failed');
    await expect(connectHead({ username: 'root' })).rejects.toThrow('All configured authentication methods failed');
    await expect(connectHead({ privateKey: '', password: 'x' })).rejects.toThrow(
      'All configured authentication methods failed',
    );
  });

  it('shows the host key of the cluster file, and with wrong-host-key another one on spark2', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sparkops-sparks-'));
    const wrong = await startPretendSparks({ folder, faults: ['wrong-host-key'] });
    cleanups.push(async () => {
      await wrong.stop();
      await rm(folder, { recursive: true });
    });
    for (const [sparks, expected] of [
      [bench.sparks, [true, true]],
      [wrong, [true, false]],
    ] as const) {
      const cluster = sparks.clusterFile();
      const visitor = await visit(cluster);
      cleanups.push(visitor.close);
      const seen = visitor.hostKeys;
      const known = cluster.nodes.map((node) => node.host_key);
      expect(seen.map((key, at) => key === known[at])).toEqual(expected);
    }
  });

  it('is refused with ssh-refused, and works again later', async () => {
    await bench.sparks.inject('ssh-refused');
    await expect(connectHead()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await bench.sparks.startSshd('spark1');
    const again = await visit(bench.sparks.clusterFile());
    expect((await again.run('spark2', 'echo back')).stdout).toBe('back\n');
    again.close();
    await bench.stop();
    bench = await startBench();
  });
});

describe('the network', () => {
  it('leads from spark1 to both, from spark2 never to the management address', async () => {
    await expect(bench.dial('spark1', '192.168.200.13', 22)).resolves.toBeDefined();
    await expect(bench.dial('spark1', '10.1.230.180', 22)).resolves.toBeDefined();
    await expect(bench.dial('spark2', '192.168.200.12', 22)).resolves.toBeDefined();
    await expect(bench.dial('spark2', '127.0.0.1', 22)).resolves.toBeDefined();
    await expect(bench.dial('spark2', '10.1.230.180', 22)).rejects.toThrow('Channel open failure');
    await expect(bench.dial('spark1', '192.168.200.99', 22)).rejects.toThrow('Channel open failure');
    await expect(bench.dial('spark1', '127.0.0.1', 8000)).rejects.toThrow('Channel open failure');
  });

  it('is shown by ip and ss', async () => {
    const head = (await bench.run('spark1', 'ip -o -4 addr show; ip -o -4 route show default; ss -ltnH')).stdout;
    expect(head).toMatch(/enP7s7 +inet 10\.1\.230\.180\/24/);
    expect(head).toMatch(/enp1s0f0np0 +inet 192\.168\.200\.12\/24/);
    expect(head).toMatch(/^default via 10\.1\.230\.1 dev enP7s7 .*src 10\.1\.230\.180/m);
    expect(head).toMatch(/^LISTEN +0 +\d+ +0\.0\.0\.0:22 +0\.0\.0\.0:\*$/m);
    const worker = (await bench.run('spark2', 'ip -o -4 addr show; ip -o -4 route show default')).stdout;
    expect(worker).not.toContain('10.1.230');
    expect(worker).not.toContain('default');
  });

  it('has a stranger on port 8000 with port-taken', async () => {
    await bench.sparks.inject('port-taken');
    expect((await bench.run('spark1', 'ss -ltnH')).stdout).toMatch(/ 0\.0\.0\.0:8000 /);
    const stream = await bench.dial('spark1', '127.0.0.1', 8000);
    stream.end('GET / HTTP/1.0\r\n\r\n');
    expect(await readAll(stream)).toMatch(/^HTTP\/1.1 404/);
  });
});

describe('the GPU', () => {
  it('is a GB10', async () => {
    expect((await bench.run('spark1', 'nvidia-smi -L')).stdout).toMatch(/^GPU 0: NVIDIA GB10 \(UUID: GPU-/);
    const query =
      'nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits';
    expect((await bench.run('spark1', query)).stdout).toBe('NVIDIA GB10, 580.95.05, 4.51, 38, 0\n');
  });
});

describe('hold', () => {
  it('keeps the nth matching command from starting until it is released', async () => {
    const held = bench.sparks.hold('spark1', 'mark', 2);
    await bench.run('spark1', 'echo 1 >> mark');
    await bench.run('spark2', 'echo other >> mark');
    const second = bench.run('spark1', 'cat >> mark', '2\n');
    await held.reached;
    expect((await bench.run('spark1', 'cat m*')).stdout).toBe('1\n');
    await bench.run('spark1', 'echo 3 >> mark');
    held.release();
    expect((await second).exitCode).toBe(0);
    expect((await bench.run('spark1', 'cat m*')).stdout).toBe('1\n3\n2\n');
  });

  it('lets a command start whose connection has gone', async () => {
    const held = bench.sparks.hold('spark1', /orphan/);
    const client = await connectHead();
    client.exec('cat > orphan', (_, stream?: ssh2.ClientChannel) => stream?.end('input'));
    await held.reached;
    client.destroy();
    held.release();
    expect(await until(async () => (await bench.run('spark1', 'cat orph*')).stdout)).toBe('input');
  });
});

describe('kill', () => {
  it('drops connections, and only these', async () => {
    const client = await connectHead();
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    await bench.sparks.kill('spark1', 'connections');
    await expect(closed).resolves.toBeUndefined();
    await bench.stop();
    bench = await startBench();
  });
});

describe('stop', () => {
  it('leaves no process, no port and no connection', async () => {
    const other = await startBench();
    await other.startRay('spark1');
    void other.run('spark1', 'timeout 60 sleep 50').catch(() => undefined);
    void other.run('spark2', 'sleep 51 & sleep 52').catch(() => undefined);
    await until(() => withEnvironment(other.folder).length >= 5);
    const { port } = other.sparks.clusterFile().nodes[0] ?? { port: 0 };
    await other.stop();
    expect(withEnvironment(other.folder)).toEqual([]);
    const socket = createConnection({ host: '127.0.0.1', port });
    await expect(new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('says to build first when the stand-ins are missing', async () => {
    await expect(startPretendSparks({ folder: bench.folder, standIns: '/nowhere' })).rejects.toMatchObject({
      code: 'config',
      hint: 'Build first: npm run build.',
    });
  });
});
