import { APPROVAL_ACTIONS, policyFor, type ApprovalPolicy } from './approvals.ts';
import type { Problem } from './config.ts';
import { nearest } from './nearest.ts';
import { sayInto, type Say } from './recipe/say.ts';
import { valueAt } from './repair.ts';
import type { SparkopsFile } from './sparkops-file.ts';
import type { Path, YamlFile } from './yaml-file.ts';

const DAY_MS = 86_400_000;

/** How the parts of approvals fit together, and audit_keep. */
export function checkApprovals(sparkops: SparkopsFile, yaml: YamlFile): Problem[] {
  const problems: Problem[] = [];
  const say = sayInto(problems, yaml);
  if (sparkops.audit_keep < DAY_MS) say(['audit_keep'], 'audit_keep is less than a day', 'It must be at least 1d');
  const told = new Set<string>();
  for (const cluster of [undefined, ...Object.keys(sparkops.approvals.clusters)]) {
    for (const action of APPROVAL_ACTIONS) {
      const policy = policyFor(sparkops, { action, cluster: cluster ?? '' });
      const once: Say = (path, wrong, right) => {
        const key = path.join('.');
        if (!told.has(key)) say(path, wrong, right);
        told.add(key);
      };
      checkTimes(policy, placeOf(yaml, layersOf(action, cluster)), once);
    }
  }
  return problems;
}

/** Clusters that approvals name and that no file describes. */
export function checkApprovalClusters(
  { approvals }: SparkopsFile,
  yaml: YamlFile,
  names: readonly string[],
): Problem[] {
  const problems: Problem[] = [];
  const say = sayInto(problems, yaml);
  for (const cluster of Object.keys(approvals.clusters).filter((name) => !names.includes(name))) {
    const meant = nearest(cluster, names);
    const right = meant === undefined ? 'Name a file of clusters/, without .yaml' : `Did you mean ${meant}?`;
    say(['approvals', 'clusters', cluster], `There is no cluster "${cluster.slice(0, 60)}"`, right);
  }
  return problems;
}

function checkTimes(policy: ApprovalPolicy, place: (key: string) => Path, say: Say): void {
  const times = [
    ['expires', policy.expires],
    ['idle_limit', policy.idle_limit],
  ] as const;
  for (const [key, ms] of times) {
    const path = place(key);
    if (ms === 0) say(path, `${path.join('.')} is 0`, 'It must be more than 0');
    if (ms > 7 * DAY_MS) say(path, `${path.join('.')} is more than a week`, 'It must be at most 7d');
  }
  const { break_glass: glass, expires } = policy;
  if (!glass || glass.after < expires) return;
  const path = place('break_glass');
  const wrong = `${path.join('.')}.after is not before the request expires (${expires / 60_000} min)`;
  say(path, wrong, 'It must be shorter than expires: later nothing waits any more');
}

/** From near to wide. */
function layersOf(action: string, cluster: string | undefined): readonly Path[] {
  const all: readonly Path[] = [['approvals', 'actions', action], ['approvals']];
  if (cluster === undefined) return all;
  const here = ['approvals', 'clusters', cluster];
  return [[...here, 'actions', action], here, ...all];
}

/** Where a field stands that holds there. */
function placeOf(yaml: YamlFile, layers: readonly Path[]): (key: string) => Path {
  return (key) => {
    const layer = layers.find((path) => valueAt(yaml.value, [...path, key]) !== undefined);
    return [...(layer ?? ['approvals']), key];
  };
}
