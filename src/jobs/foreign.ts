import { foreignWord } from '../cluster/probes/foreign-text.ts';
import type { Foreign } from '../cluster/probes/foreign.ts';
import { noSuch } from '../config/nearest.ts';
import { OperatorError } from '../errors.ts';
import type { Person } from './deployment.ts';
import type { ClusterStatus, ForeignLaunch, Jobs, NodeStatus } from './jobs.ts';
import { inStore, type Store } from './store.ts';

export { comesBack, foreignWord, memoryText } from '../cluster/probes/foreign-text.ts';

/** A look that began before somebody spoke must not take their word away. */
const SETTLED_MS = 60_000;

interface Owner extends Person {
  /** ISO 8601 UTC. */
  at: string;
}

/** The status with the owners of what others run, as far as they said so. What is gone from the nodes loses its owner. */
export async function withForeignOwners<T extends Pick<ClusterStatus, 'cluster' | 'nodes' | 'lookedAt'>>(
  store: Store,
  status: T,
): Promise<T> {
  try {
    const owners = await ownersOn(store, status.cluster);
    if (owners.size === 0) return status;
    await forgetGone(store, status, owners);
    const nodes = status.nodes.map((node): NodeStatus => {
      return { ...node, foreign: node.foreign.map((launch) => owned(launch, owners.get(keyOf(launch)))) };
    });
    return { ...status, nodes };
  } catch (error) {
    if (error instanceof OperatorError && error.code === 'store-away') return status;
    throw error;
  }
}

/** Somebody says that what runs there is theirs. The last one who says so is believed, and the answer tells of the one before. */
export function openMine({
  store,
  status,
  now,
}: { store: Store; now: () => Date } & Pick<Jobs, 'status'>): Pick<Jobs, 'mine'> {
  return {
    mine: async ({ cluster, channel, name, by }) => {
      const seen = await status({
        ...(cluster !== undefined && { cluster }),
        ...(channel !== undefined && { channel }),
      });
      const { found, where } = foreignCalled(seen, name);
      const owners = await ownersOn(store, where);
      const before = found.map((launch) => owners.get(keyOf(launch))).find((owner) => owner && owner.user !== by.user);
      const owner = { team: by.team, user: by.user, at: now().toISOString() } satisfies Owner;
      const fields = Object.fromEntries(found.map((launch) => [keyOf(launch), JSON.stringify(owner)]));
      await inStore(() => store.redis.hset(store.keys.foreignOwner(where), fields));
      return {
        cluster: where,
        claimed: found.map((launch) => owned(launch, owner)),
        ...(before && { before: { team: before.team, user: before.user } }),
      };
    },
  };
}

/**
 * What runs under that name, id (or the beginning of one) or pid, on all nodes of one cluster. Rejects 'unknown-name', and
 * 'ambiguous' when several clusters have it.
 */
export function foreignCalled(
  clusters: readonly Pick<ClusterStatus, 'cluster' | 'nodes'>[],
  name: string,
): { where: string; found: readonly ForeignLaunch[] } {
  const hits = clusters
    .map(({ cluster, nodes }) => ({
      where: cluster,
      found: nodes.flatMap(({ foreign }) => foreign).filter((one) => isCalled(one, name)),
    }))
    .filter(({ found }) => found.length > 0);
  const [first, second] = hits;
  if (first && !second) return first;
  if (first) {
    throw new OperatorError('ambiguous', `${name} runs on ${hits.map(({ where }) => where).join(' and ')}.`, {
      hint: `Name the cluster: ${name} on ${first.where}`,
    });
  }
  const names = clusters.flatMap(({ nodes }) => nodes.flatMap(({ foreign }) => foreign.map(foreignWord)));
  const unread = clusters
    .flatMap(({ nodes }) => nodes)
    .filter(({ problem, foreignProblem }) => problem ?? foreignProblem);
  throw new OperatorError('unknown-name', noSuch('container or GPU process of others called', name, names), {
    hint:
      unread.length > 0
        ? `${unread.map(({ node }) => node).join(' and ')} can't be read now; try again.`
        : `See what others run: status${clusters.length === 1 ? ` ${clusters[0]?.cluster}` : ''}`,
  });
}

function isCalled({ kind, name, id }: Foreign, word: string): boolean {
  if (kind === 'process') return id === word;
  return name === word || (/^[0-9a-f]{12,64}$/.test(word) && id.startsWith(word));
}

async function ownersOn({ redis, keys }: Store, cluster: string): Promise<Map<string, Owner>> {
  const all = await inStore(() => redis.hgetall(keys.foreignOwner(cluster)));
  return new Map(Object.entries(all).map(([id, text]) => [id, JSON.parse(text) as Owner]));
}

async function forgetGone(
  { redis, keys }: Store,
  { cluster, nodes, lookedAt }: Pick<ClusterStatus, 'cluster' | 'nodes' | 'lookedAt'>,
  owners: ReadonlyMap<string, Owner>,
): Promise<void> {
  // What a node can't say may still be there.
  if (nodes.some(({ problem, foreignProblem }) => problem ?? foreignProblem)) return;
  const there = new Set(nodes.flatMap(({ foreign }) => foreign.map(keyOf)));
  const settled = Date.parse(lookedAt) - SETTLED_MS;
  const gone = [...owners].filter(([id, { at }]) => !there.has(id) && Date.parse(at) < settled).map(([id]) => id);
  if (gone.length > 0) await inStore(() => redis.hdel(keys.foreignOwner(cluster), ...gone));
}

/** A container's id is its own for good; a pid only with its node and start. */
function keyOf({ kind, node, id, start = '' }: Foreign): string {
  return kind === 'container' ? id : `${node}:${id}:${start}`;
}

function owned(launch: ForeignLaunch, owner: Owner | undefined): ForeignLaunch {
  return owner ? { ...launch, owner: { team: owner.team, user: owner.user } } : launch;
}
