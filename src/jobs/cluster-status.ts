import type { Foreign } from '../cluster/probes/foreign.ts';
import type { Deployment, Person } from './deployment.ts';
import type { Hold } from './hold-rules.ts';

/** What serves on a cluster, or holds it, as the store knows it. */
export interface ClusterState {
  cluster: string;
  description: string;
  channels: readonly string[];
  /** The deployment that has the claim. */
  busy?: Deployment;
  serving: readonly Deployment[];
  hold?: Hold;
  /** Over all clusters. */
  freeze?: Hold;
  /** Set when the store could not be asked: what is claimed and what serves is then unknown here; the nodes still tell. */
  storeProblem?: string;
}

/** What others run on a node, and whose it is, if somebody said so. */
export interface ForeignLaunch extends Foreign {
  owner?: Person;
}

export interface NodeStatus {
  node: string;
  role: 'head' | 'worker';
  address: string;
  /** Undefined when the node could not be read; then `problem` says why. */
  gpu?: string;
  containers: readonly { name: string; deployment?: string; running: boolean; since: string; engine: boolean }[];
  foreign: readonly ForeignLaunch[];
  /** Why the node can't say what others run. */
  foreignProblem?: string;
  problem?: string;
}

export interface ClusterStatus extends ClusterState {
  nodes: readonly NodeStatus[];
  /** What the engine on the head answered, per serving deployment (by uid). */
  engines: readonly { uid: string; health: 'ok' | 'silent' | 'refused'; text: string }[];
  /** ISO 8601 UTC. */
  lookedAt: string;
}

/** A cluster as the store knows it, without a look at its nodes. */
export interface ClusterOverview extends ClusterState {
  nodeNames: readonly string[];
}

export interface MineAnswer {
  cluster: string;
  claimed: readonly ForeignLaunch[];
  /** Whose it was until now. */
  before?: Person;
}
