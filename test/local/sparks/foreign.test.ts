import { afterEach, expect, it } from 'vitest';
import { foreignIn, foreignPrograms } from '../../../src/cluster/probes/foreign.ts';
import { parseSections } from '../../../src/cluster/probes/sections.ts';
import { type Bench, startBench } from './bench.ts';

let bench: Bench;
afterEach(() => bench.stop());

async function look(node: 'spark1' | 'spark2') {
  const { stdout } = await bench.run(node, 'sh -s -- test /nowhere', foreignPrograms('status.sh'));
  return foreignIn(parseSections(stdout), { node, ports: [8000, 29501] }).foreign;
}

it('shows what was started by hand on both nodes, in containers and outside, and how it goes', async () => {
  bench = await startBench({ faults: ['foreign-container', 'foreign-process'] });
  const [container] = await look('spark1');
  expect(container).toMatchObject({
    kind: 'container',
    name: 'vllm_node',
    image: 'hellohal2064/vllm-qwen3.5-gb10:latest',
    restart: 'unless-stopped',
    gpuMemory: 67_712,
    ports: [8000],
  });
  expect(await look('spark2')).toMatchObject([
    { name: 'vllm_node', ports: [] },
    { kind: 'process', name: 'python3', gpuMemory: 12_288, ours: true, start: expect.stringMatching(/^\d+$/) },
  ]);

  expect(await bench.run('spark1', 'docker update --restart=no vllm_node gone')).toMatchObject({
    exitCode: 1,
    stdout: 'vllm_node\n',
    stderr: 'Error response from daemon: No such container: gone\n',
  });
  expect((await bench.run('spark1', 'docker update vllm_node')).exitCode).toBe(1);
  expect(await look('spark1')).toMatchObject([{ restart: 'no' }]);
  expect((await bench.run('spark1', 'docker stop -t 20 vllm_node')).exitCode).toBe(0);
  expect(bench.sparks.containers('spark1')).toMatchObject([{ status: 'exited', exitCode: 0 }]);
  expect(await look('spark1')).toEqual([]);
  expect((await bench.run('spark1', 'ss -ltnH')).stdout).not.toContain('8000');
});

it(
  "does not take the engine of the realm's own containers for foreign, but that of another realm",
  { timeout: 90_000 },
  async () => {
    bench = await startBench();
    await bench.startRay('spark1');
    await bench.startRay('spark2');
    await bench.serve();
    await expect.poll(() => bench.sparks.engineUrl(), { timeout: 60_000 }).toBeDefined();
    expect(await look('spark1')).toEqual([]);
    const { stdout } = await bench.run('spark1', 'sh -s -- another /nowhere', foreignPrograms('status.sh'));
    const { foreign } = foreignIn(parseSections(stdout), { node: 'spark1', ports: [8000] });
    expect(foreign).toMatchObject([{ name: 'c-spark1', realm: 'test', gpuMemory: 101_870, ports: [8000, 29_501] }]);
  },
);
