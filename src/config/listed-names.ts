import { readWho } from './rights.ts';
import type { SparkopsFile } from './sparkops-file.ts';

/** Every person and user group that the configuration names, once each, as it is written. */
export function listedNames({ rights, approvals }: Pick<SparkopsFile, 'rights' | 'approvals'>): readonly string[] {
  const clusters = Object.values(approvals.clusters);
  const terms = [approvals, ...clusters, ...[approvals, ...clusters].flatMap(({ actions }) => Object.values(actions))];
  const names = [...Object.values(rights), ...terms.map((each) => each?.from ?? [])].flat();
  return [...new Set(names)].filter((name) => {
    const who = readWho(name);
    return who !== undefined && who.kind !== 'everyone';
  });
}
