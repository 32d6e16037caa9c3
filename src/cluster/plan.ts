/** Names of the phases, in the order in which an engine may use them. */
export type PhaseName =
  | 'preflight'
  | 'approval'
  | 'stop-previous'
  | 'start-head'
  | 'start-workers'
  | 'verify-ray'
  | 'serve'
  | 'load'
  | 'smoke'
  | 'stop'
  | 'stop-foreign';

/** Limits in milliseconds. Rendered from `timeouts` of sparkops.yaml, shown by `plan`, obeyed by the run that carries the plan. */
export interface Limits {
  connectMs: number;
  readMs: number;
  /** A changing command: waiting for the node's lock, plus the command itself. */
  changeMs: number;
  raiseMs: number;
  /** Undo of one phase. */
  undoMs: number;
  /** load: the longest silence without a progress line. */
  silenceMs: number;
  /** A stop: the longest wait for running requests. Left out in plans of earlier versions: 60 s. */
  drainMs?: number;
  phases: Record<PhaseName, number>;
}

/** A container as data; docker.ts makes the command of it. Everything in it is known before anything runs. */
export interface ContainerSpec {
  /** sparkops-UID-NODE */
  name: string;
  image: string;
  labels: Record<string, string>;
  /** Same path on the node and in the container. */
  mounts: readonly { path: string; readOnly: boolean }[];
  entrypoint: string;
  args: readonly string[];
}

export interface PlanNode {
  name: string;
  role: 'head' | 'worker';
  /** 0 is the head. */
  rank: number;
  /** Management address: how sparkops and people get there. */
  address: string;
  fabric: { address: string; interface: string; rdma: readonly string[] };
  /** Folders on this node. `run` = STATE/runs/UID, mounted into the container at the same path. */
  paths: { state: string; run: string; models: string; cache: string };
  /** The container's environment on this node, secrets left out. */
  env: Record<string, string>;
  /** Environment variable -> name of the secret whose value it gets at the start. */
  secrets: Record<string, string>;
  container: ContainerSpec;
}

/** Recipe x cluster, everything rendered, nothing done. Kept in the deployment's record; holds no secret value. */
export interface Plan {
  uid: string;
  realm: string;
  cluster: string;
  recipe: string;
  description: string;
  /** none: nothing is started, something is stopped. */
  engine: 'vllm-ray' | 'none';
  phases: readonly PhaseName[];
  model: string;
  /** The name that /v1/models must show. */
  servedName: string;
  image: string;
  tensorParallel: number;
  /** HTTP port of the engine on the head. */
  port: number;
  /** GCS port on the head's fabric address. */
  rayPort: number;
  /** http://ADDRESS:PORT, for people. */
  endpoint: string;
  overrides: Record<string, string | number | boolean>;
  /** Head first, then workers by rank. */
  nodes: readonly [PlanNode, ...PlanNode[]];
  /** Runs in the head's container. */
  serve: { argv: readonly [string, ...string[]]; added: readonly string[] };
  limits: Limits;
}
