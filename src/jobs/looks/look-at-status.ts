import type { OurContainer } from '../../cluster/probes/containers.ts';
import { httpOver } from '../../cluster/remote/http.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import type { Cluster } from '../../config/cluster-file.ts';
import { explain, OperatorError } from '../../errors.ts';
import type { NodeStatus } from '../jobs.ts';
import { readStatus, type NodeLook } from './look-at-node.ts';
import type { EngineAt, EngineHealth, StatusAnswer, StatusLook } from './look-requests.ts';
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
      const [nodes, health] = await Promise.all([
        Promise.all(
          cluster.nodes.map((node) =>
            nodeStatus({ ...looking, realm: config.sparkops.name, cluster, node, transport }),
          ),
        ),
        Promise.all(here.map((engine) => askEngine(looking, transport, engine))),
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
    return { ...node, ...(gpu !== undefined && { gpu }), containers: containers.map(containerStatus) };
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

async function askEngine({ signal, limitMs }: Looking, transport: Transport, engine: EngineAt): Promise<EngineHealth> {
  const { uid, node, port } = engine;
  const http = httpOver(async (connectMs) =>
    transport.dial(node, { host: '127.0.0.1', port }, { signal, limitMs: connectMs }),
  );
  try {
    const { status } = await http.request({
      method: 'GET',
      path: '/health',
      signal,
      limitMs: Math.min(limitMs, HEALTH_MS),
    });
    // An engine that wants an API key is up.
    if (status === 200 || status === 401) return { uid, health: 'ok', text: `answers on port ${port}` };
    return { uid, health: 'refused', text: `answers ${status} on port ${port}` };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const health = error.code === 'unreachable' ? 'refused' : 'silent';
    return { uid, health, text: explain(error).text };
  }
}

const HEALTH_MS = 5_000;
