import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../../src/cluster/remote/command.ts';
import { sshTransport } from '../../../src/cluster/remote/ssh-transport.ts';
import { findProgram } from '../../../src/local/find-program.ts';
import { clusterOf, readKey, startSshServer } from '../../support/ssh-server.ts';

const agent = await findProgram(['ssh-agent'], process.env['PATH'] ?? '');

test.skipIf(!agent)('logs in with a key that only the agent has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-agent-'));
  const socket = join(folder, 'agent');
  const child = spawn(agent ?? '', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  const server = await startSshServer();
  const cluster = clusterOf(server);
  cluster.ssh = { user: 'aurora', agent: true };
  const transport = sshTransport(cluster, { connectMs: 5_000, agentSocket: socket });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
    child.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const ask = () => transport.exec('spark1', run('echo', 'x'), { signal: AbortSignal.timeout(8_000), limitMs: 5_000 });

  await expect(ask()).rejects.toMatchObject({
    code: 'login',
    message: expect.stringContaining('any key of the agent'),
  });
  await writeFile(join(folder, 'key'), await readKey(), { mode: 0o600 });
  await promisify(execFile)('ssh-add', ['-q', join(folder, 'key')], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  await rm(join(folder, 'key'));
  expect((await ask()).stdout).toBe('x\n');
});
