import type { OurContainer } from '../../cluster/probes/containers.ts';
import { gpuText } from '../../cluster/probes/gpu-text.ts';
import type { Cluster } from '../../config/cluster-file.ts';
import { explain, OperatorError } from '../../errors.ts';
import type { NodeStatus } from '../jobs.ts';
import { readStatus, type NodeLook } from './look-at-node.ts';
import { lookAtEngine } from './look-at-engine.ts';
import type { StatusAnswer, StatusLook } from './look-requests.ts';
import type { Looking } from './run-look.ts';

/** Every node of every cluster at once; a node that can't be read says why, beside the others. */
export async function lookAtStatus(looking: Looking, { clusters, engines }: StatusLook): Promise<StatusAnswer> {
  const config = await looking.config();
  const found = await Promise.all(
    clusters.map(async (name) => {
      const cluster = config.clusters.get(name);
      if (!cluster) return [];
      const transport = looking.transports.to(cluster);
      const here = engines.filter((engine) => engine.cluster === name);
      const reading = Promise.all(
        cluster.nodes.map((node) => nodeStatus({ ...looking, realm: config.sparkops.name, cluster, node, transport })),
      );
      const [nodes, health] = await Promise.all([
        reading,
        Promise.all(here.map((engine) => lookAtEngine(looking, { transport, engine, meanwhile: reading }))),
      ]);
      return [{ cluster: name, nodes, engines: health, lookedAt: looking.now().toISOString() }];
    }),
  );
  return { kind: 'status', clusters: found.flat() };
}

async function nodeStatus(look: NodeLook): Promise<NodeStatus> {
  const { name, role, address } = look.node;
  const node = { node: name, role: roleOf(look.cluster, name, role), address };
  try {
    const { gpu, containers } = await readStatus(look);
    return { ...node, ...(gpu !== undefined && { gpu: gpuText(gpu) }), containers: containers.map(containerStatus) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { ...node, containers: [], problem: explain(error).text };
  }
}

/** A cluster of one node need not say that it is the head. */
function roleOf({ nodes }: Cluster, name: string, role: 'head' | 'worker'): 'head' | 'worker' {
  return nodes.length === 1 && nodes[0]?.name === name ? 'head' : role;
}

function containerStatus({ name, uid, running, startedAt, engine }: OurContainer): NodeStatus['containers'][number] {
  return { name, ...(uid !== '' && { deployment: uid }), running, since: startedAt, engine: engine === 'alive' };
}
