import type { Deployment } from './deployment.ts';

const LAST = 5;

/**
 * How long nothing serves while this recipe takes over this cluster: the median, in milliseconds, of the last five that
 * served, from the start of stop-previous on. `records`: newest first. Undefined: none of them has served here.
 */
export function usualDowntime(
  records: readonly Deployment[],
  { cluster, recipe }: Pick<Deployment, 'cluster' | 'recipe'>,
): number | undefined {
  const same = records.filter((record) => record.cluster === cluster && record.recipe === recipe);
  const last = same.flatMap((record) => downtimeOf(record) ?? []).slice(0, LAST);
  const sorted = last.toSorted((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Undefined: it never served. A stop takes the place of a record's phases, so it keeps this. */
export function downtimeOf({ downMs, phases }: Pick<Deployment, 'downMs' | 'phases'>): number | undefined {
  if (downMs !== undefined) return downMs;
  const begin = phases.find(({ name }) => name === 'stop-previous')?.startedAt;
  const last = phases.at(-1);
  if (begin === undefined || last?.state !== 'done' || last.endedAt === undefined) return undefined;
  return Date.parse(last.endedAt) - Date.parse(begin);
}
