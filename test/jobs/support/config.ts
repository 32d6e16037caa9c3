import { ClusterFile } from '../../../src/config/cluster-file.ts';
import type { Config } from '../../../src/config/config.ts';
import { SparkopsFile } from '../../../src/config/sparkops-file.ts';

/** One cluster of one node, which fits literalPlan. */
export function literalConfig(): Config {
  const cluster = ClusterFile.parse({
    description: 'one Spark',
    channels: ['C0OPS000001'],
    ssh: { user: 'aurora', agent: true },
    nodes: [
      {
        name: 'spark1',
        role: 'head',
        address: '10.1.230.180',
        fabric: { address: '192.168.200.12', interface: 'enp1s0f0np0' },
      },
    ],
    paths: { models: '/m', cache: '/c', state: '/s' },
  });
  return {
    folder: '/config',
    sparkops: SparkopsFile.parse({ name: 'test', timeouts: { connect: '500ms', read: '500ms', look: '2s' } }),
    clusters: new Map([['spark', { ...cluster, name: 'spark' }]]),
    recipes: new Map(),
    brokenRecipes: new Map(),
    revision: 'abcd1234',
  };
}
