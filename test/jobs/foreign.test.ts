import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foreignCalled, openMine, withForeignOwners } from '../../src/jobs/foreign.ts';
import type { ClusterStatus, ForeignLaunch } from '../../src/jobs/jobs.ts';
import { type Bench, openBench, operator } from './support/bench.ts';

const ID = 'ab'.repeat(32);
const SAID_AT = '2026-12-01T10:00:00.000Z';
const viewer = { team: 'T1', user: 'U0VIEWER', name: 'Viewer' };

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.del(bench.store.keys.foreignOwner('spark'));
});

function launch(change: Partial<ForeignLaunch> = {}): ForeignLaunch {
  return { node: 'spark1', kind: 'container', name: 'vllm_node', id: ID, ports: [], ...change };
}

function status(
  foreign: readonly ForeignLaunch[],
  change: Partial<ClusterStatus> = {},
  problem?: string,
): ClusterStatus {
  const node = { node: 'spark1', role: 'head', address: '10.0.0.1', containers: [], foreign } as const;
  return {
    cluster: 'spark',
    description: '',
    channels: [],
    serving: [],
    nodes: [{ ...node, ...(problem !== undefined && { problem }) }],
    engines: [],
    lookedAt: '2026-12-01T10:00:05.000Z',
    ...change,
  };
}

function mine(clusters: readonly ClusterStatus[], name: string, by = operator, at = SAID_AT) {
  const jobs = openMine({ store: bench.store, status: async () => clusters, now: () => new Date(at) });
  return jobs.mine({ name, by, surface: 'test', view: {} });
}

describe("it's mine", () => {
  it('is kept with the container, and shown with it', async () => {
    const running = status([launch(), launch({ node: 'spark2', id: 'cd'.repeat(32) })]);
    const answer = await mine([running], 'vllm_node');
    expect(answer.cluster).toBe('spark');
    expect(answer.claimed.map(({ node, owner }) => [node, owner?.user])).toEqual([
      ['spark1', operator.user],
      ['spark2', operator.user],
    ]);
    const seen = await withForeignOwners(bench.store, running);
    expect(seen.nodes[0]?.foreign.map(({ owner }) => owner)).toEqual([
      { team: 'T1', user: operator.user },
      { team: 'T1', user: operator.user },
    ]);
    // Another container of that name is another launch.
    const again = await withForeignOwners(bench.store, status([launch({ id: 'ef'.repeat(32) })]));
    expect(again.nodes[0]?.foreign[0]).not.toHaveProperty('owner');
  });

  it('believes the last one, and tells of the one before', async () => {
    const running = status([launch()]);
    expect(await mine([running], 'vllm_node')).not.toHaveProperty('before');
    expect(await mine([running], ID.slice(0, 12), viewer)).toMatchObject({ before: { user: operator.user } });
    expect((await withForeignOwners(bench.store, running)).nodes[0]?.foreign[0]?.owner?.user).toBe(viewer.user);
  });

  it('knows a process by its start as well: a pid is used again', async () => {
    const process = launch({ kind: 'process', name: 'python3', id: '42', start: '900' });
    await mine([status([process])], '42');
    const owned = await withForeignOwners(bench.store, status([process, { ...process, start: '901' }]));
    expect(owned.nodes[0]?.foreign.map(({ owner }) => owner?.user)).toEqual([operator.user, undefined]);
  });

  it('is forgotten once the container is gone, not when a node only does not answer', async () => {
    const key = bench.store.keys.foreignOwner('spark');
    const later = { lookedAt: '2026-12-01T10:05:00.000Z' };
    await mine([status([launch()])], 'vllm_node');
    await withForeignOwners(bench.store, status([], later, 'spark1 does not answer'));
    expect(await bench.store.redis.hlen(key)).toBe(1);
    // A look that may have begun before somebody spoke.
    await withForeignOwners(bench.store, status([]));
    expect(await bench.store.redis.hlen(key)).toBe(1);
    await withForeignOwners(bench.store, status([], later));
    expect(await bench.store.redis.hlen(key)).toBe(0);
  });
});

describe('a name', () => {
  const other = { cluster: 'other', nodes: status([launch()]).nodes };

  it('is never guessed among clusters', () => {
    expect(() => foreignCalled([status([launch()]), other], 'vllm_node')).toThrow(
      expect.objectContaining({ code: 'ambiguous', message: 'vllm_node runs on spark and other.' }),
    );
  });

  it('that is not there gets the nearest one, or the node that could not be read', () => {
    expect(() => foreignCalled([status([launch()])], 'vlm_node')).toThrow(
      expect.objectContaining({
        code: 'unknown-name',
        message: 'There is no container or GPU process of others called "vlm_node". Did you mean vllm_node?',
        hint: 'See what others run: status spark',
      }),
    );
    expect(() => foreignCalled([status([], {}, 'away')], 'x')).toThrow(
      expect.objectContaining({ hint: "spark1 can't be read now; try again." }),
    );
  });

  it('is not the command of a process, which many share', () => {
    const process = launch({ kind: 'process', name: 'python3', id: '42' });
    expect(() => foreignCalled([status([process])], 'python3')).toThrow(/no container or GPU process/);
    expect(foreignCalled([status([process])], '42').found).toHaveLength(1);
  });
});
