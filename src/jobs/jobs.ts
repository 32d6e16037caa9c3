import type { Say } from './approval/approval.ts';
import type { AuditLine } from './audit.ts';
import type { ClusterOverview, ClusterStatus, MineAnswer } from './cluster-status.ts';
import type { Deployment, Forced, Person, State } from './deployment.ts';
import type { DeploymentEvent } from './events.ts';
import type { Held, Holds } from './hold.ts';
import type { HoldRequest, ReleaseRequest } from './hold-rules.ts';
import type { BenchAnswer, CheckAnswer, Diagnosis, FullLog, LogExcerpt, PlanAnswer } from './look-answers.ts';
import type { Notices } from './notices.ts';

export type { BenchRun } from '../cluster/probes/bench-engine.ts';
export type { ClusterOverview, ClusterState, ClusterStatus, ForeignLaunch, NodeStatus } from './cluster-status.ts';
export type { BenchAnswer, CheckAnswer, Diagnosis, FullLog, LogExcerpt, PlanAnswer } from './look-answers.ts';

/** Where a person asked, kept with the deployment. Opaque to jobs: only the surface that wrote it reads it. */
export type View = Record<string, string | number | boolean>;

export interface Asker extends Person {
  /** Shown in logs and in the nodes' files, never used to decide. */
  name: string;
}

export interface DeployRequest {
  recipe: string;
  /** Left out: the only cluster bound to `channel`, or the only cluster there is bound to nothing else; several = 'ambiguous'. */
  cluster?: string;
  /** key=value as typed; checked against the recipe's defaults. */
  overrides: Readonly<Record<string, string>>;
  /** ISO 8601 UTC. */
  until?: string;
  note?: string;
  /** What an admin passes, and why; the surface has seen to the right. */
  forced?: Pick<Forced, 'what' | 'reason'>;
  by: Asker;
  surface: string;
  /** Commands typed in a channel that is bound to clusters mean these. */
  channel?: string;
  view: View;
}

export interface ClusterRequest {
  cluster?: string;
  by: Asker;
  surface: string;
  channel?: string;
  view: View;
}

/** Of what serves or ended: by its number, or by cluster. */
export interface AgainRequest extends ClusterRequest {
  number?: number;
  forced?: Pick<Forced, 'what' | 'reason'>;
}

export interface Decide {
  number: number;
  /** Of the request that was shown; left out: the latest of that deployment. */
  id?: number;
  say: Say;
  by: Asker;
}

export interface HistoryRequest {
  cluster?: string;
  /** Slack user id. */
  by?: string;
  /** ISO 8601 UTC: admitted at or after it. */
  since?: string;
  limit: number;
}

/** Where something is looked at: a cluster by name, or by the channel. */
export interface Where {
  cluster?: string;
  channel?: string;
}

interface PlanRequest extends Where {
  recipe: string;
  overrides: Readonly<Record<string, string>>;
}

interface LogRequest extends Where {
  number?: number;
  /** A node's name, or 'head' or 'worker'. */
  node?: string;
  lines: number;
  /** Only lines that hold this text. */
  grep?: string;
  /** Only lines written in the last so many milliseconds, by the times in the log. */
  sinceMs?: number;
}

export interface AuditEntry {
  /** For what happens by itself: sparkops. */
  who: Asker;
  /** The words, or what was decided: "approval of stop, #142". */
  what: string;
  cluster?: string;
  number?: number;
  uid?: string;
  decision: AuditDecision;
  /** Whether it was to change something; looking alone isn't. */
  change?: boolean;
  why?: string;
  /** Of what ended: its state. */
  result?: State;
  /** Where it was typed: 'slack', 'cli'. */
  surface?: string;
}

type AuditDecision =
  /** What was typed. */
  | 'accepted'
  | 'refused'
  | 'answered'
  /** Of a request for approval. */
  | 'approved'
  | 'denied'
  | 'withdrawn'
  | 'expired'
  | 'void'
  /** Of a run. */
  | 'ended';

/** What a surface (Slack, later others) can do. Every rejection is an OperatorError for people, or a bug. */
export interface Jobs {
  /** Admission: refuses at once with 'unknown-name', 'usage', 'ambiguous', 'busy', 'starting', 'config' or 'store-away'. */
  deploy: (request: DeployRequest) => Promise<Deployment>;
  /** A run on the deployment that serves. Refused with 'unknown-name' when nothing serves, 'busy', ... */
  stop: (request: ClusterRequest & Pick<AgainRequest, 'forced'>) => Promise<Deployment>;
  /** The same plan again, of what serves or served last: a new attempt that replaces it. */
  restart: (request: AgainRequest) => Promise<Deployment>;
  /** The last one that served before, its image pinned by digest; or the one with this number. */
  rollback: (request: AgainRequest) => Promise<Deployment>;
  /** Stops containers and GPU processes that sparkops did not start, after an approval that names them. */
  stopForeign: (request: ClusterRequest & { names: readonly string[] }) => Promise<Deployment>;
  /** "It's mine": of what others run on a cluster, by name, id or pid. Kept until it is gone. */
  mine: (request: ClusterRequest & { name: string }) => Promise<MineAnswer>;
  /**
   * A word about a request for approval: the first decision stands. The surface has compared the person with
   * `approval.terms.from`. Rejects 'conflict' when it is decided or over, 'forbidden' for one's own request.
   */
  decide: (request: Decide) => Promise<Deployment>;
  /** Running requests are waited for no longer. */
  stopNow: (request: { number: number; by: Asker }) => Promise<Deployment>;
  /** How long its owner needs it, ISO 8601 UTC. */
  extend: (request: { number: number; until: string; by: Asker }) => Promise<Deployment>;
  /**
   * Of a running deployment, by its number or by cluster. Resolves as soon as the wish is recorded; of somebody else's
   * past the point of no return that is a request for approval: the record's `approval` then has action 'cancel'.
   */
  cancel: (request: ClusterRequest & { number?: number }) => Promise<Deployment>;
  /** Looks at the nodes now. At most 20 s. */
  status: (request: { cluster?: string; channel?: string }) => Promise<readonly ClusterStatus[]>;
  logs: (request: LogRequest) => Promise<LogExcerpt>;
  /** Undefined: its engine was never started, or the log is gone. */
  fullLog: (uid: string, bytes: number) => Promise<FullLog | undefined>;
  /** The checks before a launch as a look: takes no lease, changes nothing. Without a recipe: of what serves, else of the last one. */
  check: (request: Where & { recipe?: string }) => Promise<CheckAnswer>;
  diagnose: (request: Where) => Promise<Diagnosis>;
  /** Three questions to the model that serves. At most 90 s. */
  bench: (request: Where) => Promise<BenchAnswer>;
  /** Renders what a deploy would run. Touches no node. */
  plan: (request: PlanRequest) => Promise<PlanAnswer>;
  /** Newest first. */
  history: (request: HistoryRequest) => Promise<readonly Deployment[]>;
  /** The store's word on every cluster, at once. */
  overview: () => Promise<readonly ClusterOverview[]>;
  recipes: () => Promise<readonly { name: string; description: string }[]>;
  clusters: () => Promise<readonly string[]>;

  find: (uid: string) => Promise<Deployment | undefined>;
  findByNumber: (number: number) => Promise<Deployment | undefined>;
  /** uids whose events may not all have been presented yet. */
  unpresented: (surface: string) => Promise<readonly string[]>;
  events: (uid: string, after: number) => Promise<readonly DeploymentEvent[]>;
  view: (
    uid: string,
    surface: string,
  ) => { load: () => Promise<View | undefined>; save: (view: View) => Promise<void> };
  /** Nothing more will come for this deployment: forget it in `unpresented`. */
  presented: (uid: string, surface: string) => Promise<void>;
  /** A 10 s lease so that one process presents a deployment. Undefined: another one does. */
  present: (
    uid: string,
    surface: string,
  ) => Promise<{ renew: () => Promise<boolean>; release: () => Promise<void> } | undefined>;
  /** True for the first caller in `ttlMs`. */
  once: (key: string, ttlMs: number) => Promise<boolean>;
  /** Takes a token of a bucket, or says in how many milliseconds one may come. `reserve` tokens are left for others. */
  take: (
    bucket: string,
    limits: { perMinute: number; burst: number; reserve: number },
  ) => Promise<{ ok: true } | { ok: false; waitMs: number }>;
  /** Calls back (uid) when a deployment's record changed in any process. Returns how to stop. */
  onChange: (listener: (uid: string) => void) => () => void;
  /** A hold over a cluster: put up, or changed by its holder. Rejects 'busy' (`ClusterHeld`) for somebody else's, 'usage', 'ambiguous'. */
  hold: (request: HoldRequest) => Promise<Held>;
  /** Ends it. Rejects 'busy' while a job runs there (`ClusterBusy`), or when it is another's and not to be overruled (`ClusterHeld`). */
  unlock: (request: ReleaseRequest) => Promise<Held>;
  /** The same over all clusters, whatever runs there. */
  freeze: (request: HoldRequest) => Promise<Held>;
  unfreeze: (request: ReleaseRequest) => Promise<Held>;
  holds: () => Promise<Holds>;
  /** What people must be told that belongs to no deployment. */
  notices: Pick<Notices, 'take'> & { onDue: (listener: () => void) => () => void };
  /** For each decision a line in the log, in the audit's stream and, with a cluster, in its head's file. Never rejects. */
  audit: (entry: AuditEntry) => void;
  /** Resolves when what was audited so far has been written, or could not be. */
  audited: () => Promise<void>;
  /** What was decided and belongs to no deployment's line in `history`, newest first. */
  decisions: (request: HistoryRequest) => Promise<readonly AuditLine[]>;
}
