import type { OurContainer } from '../../cluster/probes/containers.ts';
import { sampleOf } from '../../cluster/probes/engine-state.ts';
import { gpuText, gpuWatts } from '../../cluster/probes/gpu-text.ts';
import type { Cluster } from '../../config/cluster-file.ts';
import { explain, OperatorError } from '../../errors.ts';
import type { NodeStatus } from '../jobs.ts';
import { readStatus, type NodeLook } from './look-at-node.ts';
import { lookAtEngine, type EngineSeen } from './look-at-engine.ts';
import type { StatusAnswer, StatusLook } from './look-requests.ts';
import { within } from '../../within.ts';
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
      const [nodes, seen] = await Promise.all([
        reading,
        Promise.all(here.map((engine) => lookAtEngine(looking, { transport, engine, meanwhile: reading }))),
      ]);
      await within(STORE_MS, leaveSamples(looking, nodes, here, seen));
      return [
        {
          cluster: name,
          nodes: nodes.map(({ status }) => status),
          engines: seen.map(({ health }, at) => ({ ...health, ...(isDown(nodes, here[at]) && { down: true }) })),
          lookedAt: looking.now().toISOString(),
        },
      ];
    }),
  );
  return { kind: 'status', clusters: found.flat() };
}

interface NodeSeen {
  status: NodeStatus;
  /** A line of nvidia-smi. */
  gpu?: string | undefined;
  /** Undefined: the node could not be read. */
  containers?: readonly OurContainer[];
}

async function nodeStatus(look: NodeLook): Promise<NodeSeen> {
  const { name, role, address } = look.node;
  const node = { node: name, role: roleOf(look.cluster, name, role), address };
  try {
    const { gpu, containers, others } = await readStatus(look);
    const shown = gpu === undefined ? {} : { gpu: gpuText(gpu) };
    const { foreign, problem } = others;
    const status = { ...node, ...shown, containers: containers.map(containerStatus), foreign };
    return { status: { ...status, ...(problem !== undefined && { foreignProblem: problem }) }, gpu, containers };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { status: { ...node, containers: [], foreign: [], problem: explain(error).text } };
  }
}

/** The store may be away, and people wait for their answer. */
const STORE_MS = 200;

async function leaveSamples(
  { leaveSample, now }: Looking,
  nodes: readonly NodeSeen[],
  engines: StatusLook['engines'],
  seen: readonly EngineSeen[],
): Promise<void> {
  await Promise.all(
    seen.map(async ({ metrics }, at) => {
      const engine = engines[at];
      const gpu = nodes.find(({ status }) => status.node === engine?.node)?.gpu;
      const watts = gpu === undefined ? undefined : gpuWatts(gpu);
      if (engine && metrics) await leaveSample?.(engine.uid, sampleOf(metrics, watts, now().getTime()));
    }),
  );
}

/** Its process is gone for certain, or the container that it was in. */
function isDown(nodes: readonly NodeSeen[], engine: StatusLook['engines'][number] | undefined): boolean {
  const containers = nodes.find(({ status }) => status.node === engine?.node)?.containers;
  return containers !== undefined && containers.every(({ uid, engine: has }) => uid !== engine?.uid || has === 'none');
}

/** A cluster of one node need not say that it is the head. */
function roleOf({ nodes }: Cluster, name: string, role: 'head' | 'worker'): 'head' | 'worker' {
  return nodes.length === 1 && nodes[0]?.name === name ? 'head' : role;
}

function containerStatus({ name, uid, running, startedAt, engine }: OurContainer): NodeStatus['containers'][number] {
  return { name, ...(uid !== '' && { deployment: uid }), running, since: startedAt, engine: engine === 'alive' };
}
