import type { Logger } from 'pino';
import type { OurContainer } from '../../cluster/probes/containers.ts';
import { readHighestNumber } from '../../cluster/remote/highest-number.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import type { Cluster, Node } from '../../config/cluster-file.ts';
import type { Config } from '../../config/config.ts';
import { explain, OperatorError } from '../../errors.ts';
import { readRecords, stateFolder } from '../looks/look-at-node.ts';
import { headOf } from '../head-outbox/deliver.ts';
import { readHeadFiles, type HeadMemory } from '../head-outbox/head-files.ts';
import type { Transports } from '../transports.ts';

/** What one node says of the past: the store may have lost it. */
export interface NodeMemory {
  cluster: string;
  node: string;
  containers: readonly OurContainer[];
  /** Highest number of a deployment that it has seen; 0: none. */
  highest: number;
  /** What the cluster's head remembers besides. */
  head?: HeadMemory;
}

export interface ReadNodes {
  config: Config;
  transports: Transports;
  signal: AbortSignal;
  log: Logger;
}

/** Reads every node of every cluster at once. One that can't be read is passed over with a warning. */
export async function readNodes({ config, transports, signal, log }: ReadNodes): Promise<readonly NodeMemory[]> {
  const all = [...config.clusters.values()].flatMap((cluster) =>
    cluster.nodes.map(async (node) => {
      try {
        const memory = await readNode(config, cluster, node, transports.to(cluster), signal);
        const head = headOf(config, cluster, transports, signal);
        return [head?.node === node.name ? { ...memory, head: await readHeadFiles(head) } : memory];
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        log.warn({ cluster: cluster.name, node: node.name }, `Passed over: ${explain(error).text}`);
        return [];
      }
    }),
  );
  return (await Promise.all(all)).flat();
}

async function readNode(
  { sparkops }: Config,
  cluster: Cluster,
  node: Node,
  transport: Transport,
  signal: AbortSignal,
): Promise<NodeMemory> {
  const limitMs = sparkops.timeouts.connect + sparkops.timeouts.read;
  const look = { realm: sparkops.name, cluster, node, transport, signal, limitMs };
  const raised = await readHighestNumber(transport, node.name, stateFolder(cluster, node), { signal, limitMs });
  const { containers, highest } = await readRecords(look);
  return { cluster: cluster.name, node: node.name, containers, highest: Math.max(raised, highest) };
}
