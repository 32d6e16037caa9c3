import type { Cluster, Node } from '../../config/cluster-file.ts';
import type { Timeouts } from '../../config/sparkops-file.ts';
import type { Plan, PlanNode } from '../plan.ts';
import { limitsFrom } from './limits.ts';

interface ForeignPlan {
  cluster: Cluster;
  /** What is to be stopped, for people. */
  names: readonly string[];
  uid: string;
  realm: string;
  timeouts: Timeouts;
}

/** A run that starts nothing: it stops what others started, on every node of the cluster. */
export function renderForeignPlan({ cluster, names, uid, realm, timeouts }: ForeignPlan): Plan {
  const { nodes } = cluster;
  const [first, ...others] = nodes.toSorted(
    (one, other) => Number(other.role === 'head') - Number(one.role === 'head'),
  );
  if (!first) throw new TypeError(`Cluster ${cluster.name} has no node`);
  const render = (node: Node, rank: number): PlanNode => ({
    name: node.name,
    role: rank === 0 ? 'head' : 'worker',
    rank,
    address: node.address,
    fabric: node.fabric,
    paths: {
      models: node.paths?.models ?? cluster.paths.models,
      cache: node.paths?.cache ?? cluster.paths.cache,
      state: node.paths?.state ?? cluster.paths.state,
      run: `${node.paths?.state ?? cluster.paths.state}/runs/${uid}`,
    },
    env: {},
    secrets: {},
    container: { name: `sparkops-${uid}-${node.name}`, image: '', labels: {}, mounts: [], entrypoint: '', args: [] },
  });
  return {
    uid,
    realm,
    cluster: cluster.name,
    recipe: names.join(', '),
    description: 'what sparkops did not start',
    engine: 'none',
    phases: ['approval', 'stop-foreign'],
    model: '',
    servedName: '',
    image: '',
    tensorParallel: 0,
    port: 0,
    rayPort: cluster.ray_port,
    endpoint: '',
    overrides: {},
    nodes: [render(first, 0), ...others.map((node, at) => render(node, at + 1))],
    serve: { argv: [''], added: [] },
    limits: limitsFrom(timeouts),
  };
}
