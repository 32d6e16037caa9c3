import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cluster/remote/command.ts';
import { sshTransport, type SshOptions } from '../../src/cluster/remote/ssh-transport.ts';
import { ClusterFile } from '../../src/config/cluster-file.ts';
import { labCluster } from './support/lab-place.ts';
import { STATE } from './support/lab.ts';

// Real OpenSSH on the way: its agent, its servers, and jump hosts that are not there.

const AGENT = 'ssh-agent';

/** An agent without a key; `add` gives it one. */
async function startAgent(): Promise<{ socket: string; add: (key: string) => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-agent-'));
  const socket = join(folder, 'agent');
  const child = spawn(AGENT, ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  return { socket, add: async (key) => void (await promisify(execFile)('ssh-add', ['-q', key], { env })) };
}

function connect(cluster: object, options: Partial<SshOptions> = {}) {
  const transport = sshTransport({ ...ClusterFile.parse(cluster), name: 'spark' }, { connectMs: 5_000, ...options });
  onTestFinished(() => transport.close());
  return (node: string) =>
    transport.exec(node, run('hostname'), { signal: AbortSignal.timeout(60_000), limitMs: 30_000 });
}

it('logs in on both hosts with a key that only the agent has', async () => {
  const { socket, add } = await startAgent();
  const cluster = labCluster();
  const { key: _, ...ssh } = cluster.ssh;
  const ask = connect({ ...cluster, ssh: { ...ssh, agent: true } }, { agentSocket: socket });

  await expect(ask('spark1')).rejects.toMatchObject({
    code: 'login',
    message: expect.stringContaining('does not let user aurora in with any key of the agent'),
  });
  await add(`${STATE}/id_ed25519`);
  expect(await ask('spark1')).toMatchObject({ exitCode: 0, stdout: 'spark1\n' });
  expect(await ask('spark2')).toMatchObject({ exitCode: 0, stdout: 'spark2\n' });
});

// One whose machine is not there, one whose port is closed.
const DEAD = [
  { name: 'gone', address: '10.1.230.77' },
  { name: 'closed', address: '10.1.230.180', port: 2222 },
];

function clusterVia(...via: string[]) {
  const { nodes, ...cluster } = labCluster();
  const [head, worker] = nodes;
  const dead = DEAD.map((node, at) => ({ ...node, fabric: { ...worker?.fabric, address: `192.168.200.${100 + at}` } }));
  return { ...cluster, nodes: [head, ...dead, { ...worker, via }] };
}

it('goes through the first jump host that answers', async () => {
  const places: string[] = [];
  const ask = connect(clusterVia('gone', 'closed', 'spark1'), {
    log: (event) => void (event.kind === 'connected' && places.push(event.place)),
  });
  expect(await ask('spark2')).toMatchObject({ exitCode: 0, stdout: 'spark2\n' });
  expect(places).toEqual(['spark1 (10.1.230.180)', 'spark2 (192.168.200.13 through spark1)']);
});

it('names every jump host that did not answer', async () => {
  await expect(connect(clusterVia('gone', 'closed'))('spark2')).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/through gone.*10\.1\.230\.77.*through closed.*10\.1\.230\.180:2222.*refused/s),
  });
});
