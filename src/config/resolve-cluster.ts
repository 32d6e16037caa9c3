import { OperatorError } from '../errors.ts';
import type { Cluster } from './cluster-file.ts';
import type { Config } from './config.ts';
import { listed, noSuch } from './nearest.ts';

/**
 * The cluster that was named; else the one that the channel is bound to; else, in a channel bound to none, the only one
 * there is. Several are never guessed between: 'ambiguous'.
 */
export function resolveCluster(
  config: Config,
  { name, channel }: { name?: string | undefined; channel?: string | undefined },
): Cluster {
  const all = [...config.clusters.values()];
  if (name !== undefined) {
    const named = config.clusters.get(name);
    if (named) return named;
    const names = [...config.clusters.keys()];
    throw new OperatorError('unknown-name', noSuch('cluster', name, names), { hint: `There are: ${listed(names)}.` });
  }
  const bound = channel === undefined ? [] : all.filter((cluster) => cluster.channels.includes(channel));
  const possible = bound.length > 0 ? bound : all;
  const [only] = possible;
  if (only && possible.length === 1) return only;
  const where = bound.length > 0 ? 'This channel belongs to several clusters' : 'There are several clusters';
  throw new OperatorError('ambiguous', `${where}: ${listed(possible.map(describe))}.`, {
    hint: `Say which: ${listed(
      possible.map((cluster) => `on ${cluster.name}`),
      { word: 'or' },
    )}.`,
  });
}

function describe({ name, description }: Cluster): string {
  return description === '' ? name : `${name} (${description})`;
}
