import type { Cluster } from '../config/cluster-file.ts';
import type { Transport } from '../cluster/remote/transport.ts';

/** The ways to the clusters' nodes: kept open, and opened anew when the cluster's file changes. */
export interface Transports {
  to: (cluster: Cluster) => Transport;
  close: () => Promise<void>;
}

export function openTransports(open: (cluster: Cluster) => Transport): Transports {
  const kept = new Map<string, { way: string; transport: Transport }>();
  // A run keeps the way that it began with, so an outdated one is closed only at the end.
  const outdated: Transport[] = [];
  return {
    to: (cluster) => {
      const way = JSON.stringify([cluster.ssh, cluster.nodes]);
      const known = kept.get(cluster.name);
      if (known?.way === way) return known.transport;
      if (known) outdated.push(known.transport);
      const transport = open(cluster);
      kept.set(cluster.name, { way, transport });
      return transport;
    },
    close: async () => {
      const all = [...outdated.splice(0), ...[...kept.values()].map(({ transport }) => transport)];
      kept.clear();
      await Promise.allSettled(all.map((transport) => transport.close()));
    },
  };
}
