import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withEnvironment } from '../../../src/local/sparks/stand-ins/processes.ts';
import { until } from './bench.ts';

const BENCH = fileURLToPath(new URL('bench.ts', import.meta.url));

test('what runs on the machines ends when the process that holds them is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-owner-'));
  const script = `import { startBench, until } from ${JSON.stringify(BENCH)};
    const bench = await startBench();
    await bench.startRay('spark1');
    await bench.startRay('spark2');
    await bench.rayNodes();
    await bench.serve();
    await until(() => bench.cat('serve.log'));
    console.log(bench.folder);`;
  const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  try {
    const [line]: Buffer[] = await once(holder.stdout, 'data');
    const machines = `${String(line).trim()}/machines/`;
    const left = () => withEnvironment(machines).filter((pid) => pid !== holder.pid);
    expect(left().length).toBeGreaterThanOrEqual(3);
    holder.kill('SIGKILL');
    await until(() => left().length === 0);
  } finally {
    holder.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});
