import { expect, it } from 'vitest';
import { type OnNode, sortContainers } from '../../../src/cluster/probes/belonging.ts';
import type { OurContainer } from '../../../src/cluster/probes/containers.ts';

function on(node: string, uid: string, engine: OurContainer['engine'] = 'none'): OnNode {
  const container: OurContainer = {
    name: `sparkops-${uid}-${node}`,
    id: 'f00d',
    uid,
    number: 141,
    recipe: 'qwen35',
    running: true,
    startedAt: '',
    finishedAt: '',
    exitCode: 0,
    outOfMemory: false,
    engine,
  };
  return { node, container };
}

it('keeps a worker with the head that it serves with', () => {
  const all = [on('spark1', 'old', 'alive'), on('spark2', 'old'), on('spark1', 'dead'), on('spark2', 'mine')];
  expect(sortContainers(all, 'mine')).toEqual({
    own: [all[3]],
    leftovers: [all[2]],
    serving: [{ uid: 'old', number: 141, recipe: 'qwen35', node: 'spark1' }],
  });
});

it('takes an engine that nobody can see for a live one, and names it once', () => {
  const all = [on('spark1', 'old', 'unknown'), on('spark2', 'old', 'unknown')];
  const { serving, leftovers } = sortContainers(all, 'mine');
  expect(serving.map(({ node }) => node)).toEqual(['spark1']);
  expect(leftovers).toEqual([]);
});

it('says where the engine is, not where it may be', () => {
  const all = [on('spark1', 'old', 'unknown'), on('spark2', 'old', 'alive')];
  expect(sortContainers(all, 'mine').serving.map(({ node }) => node)).toEqual(['spark2']);
});

it('never counts its own', () => {
  expect(sortContainers([on('spark1', 'mine', 'alive')], 'mine')).toMatchObject({ serving: [], leftovers: [] });
});
