import type { Cluster } from '../config/cluster-file.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import { isEnded, type Deployment } from './deployment.ts';
import { readHolds } from './held.ts';
import { withForeignOwners } from './foreign.ts';
import type { ClusterOverview, ClusterState, ClusterStatus, Jobs } from './jobs.ts';
import { numbered, type Journal } from './journal.ts';
import type { Look } from './looks/look-queue.ts';
import { engineAt, type LogLook } from './looks/look-requests.ts';
import { inStore, type Store } from './store.ts';

/** Ended deployments, of all clusters, among which the last one of a cluster is looked for. */
const LOOK_BACK = 50;

export interface ClusterViewParts {
  store: Store;
  journal: Journal;
  config: () => Promise<Config>;
  look: Look;
}

/** What people look at: the store's word and the nodes', side by side. */
export function openClusterViews(parts: ClusterViewParts): Pick<Jobs, 'status' | 'logs' | 'fullLog' | 'overview'> & {
  /** Whose log people mean on a cluster: what runs, else what serves, else what ended last. */
  latest: (cluster: string) => Promise<Deployment | undefined>;
} {
  const { store, journal, config, look } = parts;

  async function status({ cluster, channel }: Parameters<Jobs['status']>[0]): Promise<readonly ClusterStatus[]> {
    const clusters = clustersFor(await config(), cluster, channel);
    const states = await Promise.all(clusters.map(stateOf));
    const engines = states.flatMap((state) => state.serving.map(engineAt));
    const answer = await look({ kind: 'status', clusters: clusters.map(({ name }) => name), engines });
    if (answer.kind !== 'status') return [];
    const seen = states.flatMap((state) => {
      const found = answer.clusters.find((each) => each.cluster === state.cluster);
      return found ? [{ ...state, nodes: found.nodes, engines: found.engines, lookedAt: found.lookedAt }] : [];
    });
    return Promise.all(
      seen.map(async (each) => (each.storeProblem === undefined ? withForeignOwners(store, each) : each)),
    );
  }

  async function stateOf(cluster: Cluster): Promise<ClusterState> {
    const { name, description, channels } = cluster;
    const state = { cluster: name, description, channels };
    try {
      const busy = await claimant(name);
      const above = readHolds(await inStore(() => store.redis.mget(store.keys.hold(name), store.keys.freeze)));
      const uids = await inStore(() => store.redis.zrange(store.keys.serving(name), 0, '-1'));
      const records = await Promise.all(uids.map(async (uid) => (await journal.find(uid))?.record));
      return { ...state, ...above, ...(busy && { busy }), serving: records.filter((record) => record !== undefined) };
    } catch (error) {
      if (!(error instanceof OperatorError && error.code === 'store-away')) throw error;
      return { ...state, serving: [], storeProblem: error.message };
    }
  }

  async function claimant(cluster: string): Promise<Deployment | undefined> {
    const uid = await inStore(() => store.redis.get(store.keys.claim(cluster)));
    const record = uid === null ? undefined : (await journal.find(uid))?.record;
    return record && !isEnded(record.state) ? record : undefined;
  }

  const logs: Jobs['logs'] = async ({ cluster, channel, number, node, lines, grep, sinceMs }) => {
    const deployment = number === undefined ? undefined : (await numbered(journal, number)).record;
    const name = deployment?.cluster ?? resolveCluster(await config(), { name: cluster, channel }).name;
    const wanted = deployment ?? (await latest(name));
    const request: LogLook = {
      kind: 'logs',
      cluster: name,
      lines,
      ...(node !== undefined && { node }),
      ...(grep !== undefined && { grep }),
      ...(sinceMs !== undefined && { sinceMs }),
      ...(wanted && { deployment: lookedFor(wanted) }),
    };
    const answer = await look(request);
    if (answer.kind !== 'logs') throw new TypeError('A look at logs was answered with something else');
    return answer.excerpt;
  };

  const fullLog: Jobs['fullLog'] = async (uid, bytes) => {
    const record = (await journal.find(uid))?.record;
    if (!record) return undefined;
    const head = record.plan.nodes[0].name;
    const answer = await look({ kind: 'full-log', cluster: record.cluster, uid, head, bytes });
    return answer.kind === 'full-log' ? answer.log : undefined;
  };

  async function overview(): Promise<readonly ClusterOverview[]> {
    const clusters = [...(await config()).clusters.values()];
    return Promise.all(
      clusters.map(async (cluster) => ({
        ...(await stateOf(cluster)),
        nodeNames: cluster.nodes.map(({ name }) => name),
      })),
    );
  }

  async function latest(cluster: string): Promise<Deployment | undefined> {
    try {
      const busy = await claimant(cluster);
      if (busy) return busy;
      const [uid] = await inStore(() => store.redis.zrange(store.keys.serving(cluster), 0, '0'));
      return uid === undefined ? await lastEnded(cluster) : (await journal.find(uid))?.record;
    } catch (error) {
      if (error instanceof OperatorError && error.code === 'store-away') return undefined;
      throw error;
    }
  }

  async function lastEnded(cluster: string): Promise<Deployment | undefined> {
    for (const uid of await inStore(() => store.redis.zrevrange(store.keys.ended, 0, LOOK_BACK))) {
      const record = (await journal.find(uid))?.record;
      if (record?.cluster === cluster) return record;
    }
    return undefined;
  }

  return { status, logs, fullLog, overview, latest };
}

function lookedFor({ uid, number, plan, state }: Deployment): NonNullable<LogLook['deployment']> {
  return { uid, number, head: plan.nodes[0].name, ended: isEnded(state) };
}

/** Without a name: those of the channel, or all. */
function clustersFor(config: Config, cluster: string | undefined, channel: string | undefined): readonly Cluster[] {
  if (cluster !== undefined) return [resolveCluster(config, { name: cluster })];
  const all = [...config.clusters.values()];
  const bound = all.filter(({ channels }) => channel !== undefined && channels.includes(channel));
  return bound.length > 0 ? bound : all;
}
