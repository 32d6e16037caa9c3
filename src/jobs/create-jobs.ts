import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { openAdmission } from './admission.ts';
import { openApprovals } from './approval/answer.ts';
import { openCancel } from './cancel.ts';
import { openAudit, readDecisions, type Audit } from './audit.ts';
import { openSharedBuckets } from './buckets.ts';
import type { Changes } from './changes.ts';
import { openClusterViews } from './cluster-views.ts';
import { foreignCalled, openMine } from './foreign.ts';
import type { Jobs } from './jobs.ts';
import type { Journal } from './journal.ts';
import type { Look } from './looks/look-queue.ts';
import { readHistory } from './history.ts';
import { openHolds } from './hold.ts';
import { withRequests } from './hold-requests.ts';
import { openNotices } from './notices.ts';
import { openPlanLooks } from './plan-looks.ts';
import { openPresenting } from './presenting.ts';
import { planFrom } from './prepare.ts';
import { enqueue, wake, type DeployQueue } from './queue.ts';
import { within } from '../within.ts';
import type { SecretSource } from '../config/secret-sources.ts';
import type { Store } from './store.ts';

export interface JobsParts {
  store: Store;
  journal: Journal;
  changes: Changes;
  queue: DeployQueue;
  /** As it stands now: what is to be deployed. Rejects while it is broken. */
  config: () => Promise<Config>;
  /** As it was when it was last right: to look, stop and cancel while a file is being mended. Default: `config`. */
  lastConfig?: () => Promise<Config>;
  /** Here, or in another process. */
  look: Look;
  /** Left out where the worker's secrets are not at hand. */
  secrets?: SecretSource;
  sparkopsVersion: string;
  /** Default: one of its own. */
  audit?: Audit;
  now: () => Date;
  log: Logger;
}

const QUEUE_MS = 1_000;
const WAKE_MS = 5_000;

/** What surfaces can do with deployments. */
export function createJobs(parts: JobsParts): Jobs {
  const { store, journal, queue, config, log } = parts;
  const { lastConfig = config, audit = openAudit(parts) } = parts;
  const notices = openNotices(store);
  // The answer does not wait for it: whoever decided has decided.
  const wakeLater = async (job: string) => {
    void within(WAKE_MS, wake(queue, job)).catch((error: unknown) => {
      log.debug({ err: error, job }, 'A run was not woken; it wakes by itself');
    });
  };
  const { latest, ...views } = openClusterViews({ ...parts, config: lastConfig });
  return {
    ...openAdmission({
      ...parts,
      config: lastConfig,
      prepare: async ({ recipe, cluster, channel, overrides }) =>
        planFrom(await config(), { recipe, cluster, channel, overrides, secrets: parts.secrets }),
      foreign: async (cluster, names) => {
        const seen = await views.status({ cluster });
        return names.flatMap((name) => foreignCalled(seen, name).found);
      },
      enqueue: async (uid, job) => {
        await enqueue(queue, uid, job, QUEUE_MS).catch((error: unknown) => {
          log.warn({ err: error, uid }, 'Not queued yet; a worker finds the record within seconds');
        });
      },
    }),
    cancel: openCancel({ ...parts, config: lastConfig, wake: wakeLater }),
    ...openApprovals({ ...parts, wake: wakeLater }),
    ...views,
    ...openMine({ ...parts, ...views }),
    ...openPlanLooks({ ...parts, ...views, latest, lastConfig }),
    history: (request) => readHistory(parts, request),
    ...openPresenting(store),
    find: async (uid) => (await journal.find(uid))?.record,
    findByNumber: async (number) => (await journal.findByNumber(number))?.record,
    events: journal.events,
    recipes: async () => recipesOf(await lastConfig()),
    clusters: async () => [...(await lastConfig()).clusters.keys()],
    take: openSharedBuckets(store),
    onChange: parts.changes.on,
    ...openHolds({ ...parts, config: lastConfig, notices }),
    notices: {
      take: async () => Promise.all((await notices.take()).map((taken) => withRequests(store, taken, parts.now()))),
      onDue: parts.changes.onNoticeDue,
    },
    audit: audit.write,
    audited: audit.settled,
    decisions: (request) => readDecisions(store, request),
  };
}

/** Those that can't be used stand among them: whoever asks for one is told why. */
function recipesOf({ recipes, brokenRecipes }: Config): { name: string; description: string }[] {
  return [
    ...[...recipes.values()].map(({ name, description }) => ({ name, description })),
    ...[...brokenRecipes.keys()].map((name) => ({ name, description: "can't be used: its file has a mistake" })),
  ];
}
