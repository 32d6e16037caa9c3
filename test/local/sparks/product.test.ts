import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/cluster/remote/command.ts';
import { sshTransport } from '../../../src/cluster/remote/ssh-transport.ts';
import { startBench, type Bench } from './bench.ts';

let bench: Bench | undefined;

afterEach(async () => {
  await bench?.stop();
});

function transportTo({ sparks }: Bench) {
  return sshTransport({ name: 'spark', ...sparks.clusterFile() }, { connectMs: 5_000 });
}

const limits = () => ({ signal: AbortSignal.timeout(10_000), limitMs: 5_000 });

describe("sparkops' own SSH client and the cluster file", () => {
  it('reaches both nodes', async () => {
    bench = await startBench();
    const transport = transportTo(bench);
    for (const node of ['spark1', 'spark2']) {
      expect((await transport.exec(node, run('printf', '%s', "it's"), limits())).stdout).toBe("it's");
    }
    const stream = await transport.dial('spark2', { host: '192.168.200.12', port: 22 }, limits());
    stream.destroy();
    await transport.close();
  });

  it('tells a wrong host key and a refused connection', async () => {
    bench = await startBench();
    await bench.sparks.inject('wrong-host-key');
    const transport = transportTo(bench);
    expect((await transport.exec('spark1', run('true'), limits())).exitCode).toBe(0);
    await expect(transport.exec('spark2', run('true'), limits())).rejects.toMatchObject({ code: 'host-key' });
    await bench.sparks.inject('ssh-refused');
    await expect(transport.exec('spark1', run('true'), limits())).rejects.toMatchObject({
      code: expect.stringMatching(/unreachable|outcome-unknown/),
    });
    await transport.close();
  });
});
