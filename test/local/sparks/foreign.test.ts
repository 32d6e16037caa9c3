import { afterEach, expect, it } from 'vitest';
import { foreignIn, foreignPrograms } from '../../../src/cluster/probes/foreign.ts';
import { parseSections } from '../../../src/cluster/probes/sections.ts';
import { type Bench, startBench } from './bench.ts';

let bench: Bench;
afterEach(() => bench.stop());

async function look(node: 'spark1' | 'spark2', program = 'status.sh', ...more: string[]) {
  const { stdout } = await bench.run(node, `sh -s -- test /nowhere ${more.join(' ')}`, foreignPrograms(program));
  return { stdout, ...foreignIn(parseSections(stdout), { node, ports: [8000, 29501] }) };
}

it('shows what was started by hand on both nodes, in containers and outside', async () => {
  bench = await startBench({ faults: ['foreign-container', 'foreign-process'] });
  const spark1 = await look('spark1');
  console.log(spark1.stdout);
  expect(spark1.foreign).toMatchObject([{ name: 'vllm_node', gpuMemory: 67_712, ports: [8000] }]);
  const spark2 = await look('spark2');
  console.log(spark2.stdout);
  expect(spark2.foreign).toMatchObject([{ name: 'vllm_node' }, { kind: 'process', gpuMemory: 12_288, ours: true }]);
});
