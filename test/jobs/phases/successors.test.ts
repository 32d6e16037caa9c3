import { expect, it } from 'vitest';
import type { Foreign } from '../../../src/cluster/probes/foreign.ts';
import { successors } from '../../../src/jobs/phases/successors.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import { containersAnswer, foreignAnswer } from '../../support/node-answers.ts';
import { renderedPlan } from '../../support/rendered-plan.ts';

const ID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const target: Foreign = { node: 'spark1', kind: 'container', name: 'vllm_node', id: ID, ports: [8000] };

/** What is told where this container runs on spark1, and nothing on spark2. */
function successorsWhere(id: string, name: string, foreign: readonly Foreign[] = [target]): Promise<readonly string[]> {
  const runs = { id, name, running: 'true', gpu: 'yes' };
  const { ctx } = fakeRun(
    renderedPlan(),
    ({ node }) => containersAnswer() + foreignAnswer(node === 'spark1' ? [runs] : []),
    { record: { foreign } },
  );
  return successors(ctx);
}

it('is another container of the same name on the same node', async () => {
  expect(await successorsWhere(OTHER, 'vllm_node')).toEqual(['vllm_node on spark1']);
});

it('is not the same container, one of another name, or one on another node', async () => {
  expect(await successorsWhere(ID, 'vllm_node')).toEqual([]);
  expect(await successorsWhere(OTHER, 'other')).toEqual([]);
  expect(await successorsWhere(OTHER, 'vllm_node', [{ ...target, node: 'spark2' }])).toEqual([]);
  expect(await successorsWhere(OTHER, 'python3', [{ ...target, kind: 'process', name: 'python3', id: '42' }])).toEqual(
    [],
  );
});
