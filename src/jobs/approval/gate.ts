import { OperatorError } from '../../errors.ts';
import { engineState, usage } from '../../cluster/probes/engine-state.ts';
import { policyFor, type ApprovalPolicy } from '../../config/approvals.ts';
import type { Config } from '../../config/config.ts';
import type { Deployment, Found, Serving } from '../deployment.ts';
import { actionOf, askerOf } from '../deployment.ts';
import { usualDowntime } from '../downtime.ts';
import { readHolds, type Standing } from '../held.ts';
import type { Journal } from '../journal.ts';
import type { Look } from '../looks/look-queue.ts';
import { engineAt } from '../looks/look-requests.ts';
import type { RecordWriter } from '../record-writer.ts';
import { askedForApproval, passedReturn, replaced, waiting } from '../run/record-changes.ts';
import { samplesOf } from '../samples.ts';
import { inStore, type Store } from '../store.ts';
import type { ApprovalFacts, Interrupted } from './approval.ts';
import { termsOf } from './terms.ts';

/** What a run needs to know and write before it interrupts anything. */
export interface Gate {
  now: () => Date;
  /** The policy for this action on this cluster, as the configuration says now. */
  policy: () => Promise<ApprovalPolicy>;
  /** Whose each is, and what it does now: looks at the engines, and leaves samples. */
  interrupted: (found: readonly Found[]) => Promise<readonly Interrupted[]>;
  /** How long nothing serves during a start of this recipe here, from history. */
  downMs: () => Promise<number | undefined>;
  /** Writes the request: the run waits from now on. */
  ask: (facts: ApprovalFacts, policy: ApprovalPolicy) => Promise<void>;
  /**
   * The point of no return, in one step with a last look at holds: `voided` says why not. Resolves with that, or with
   * undefined when it is passed and `replaces` may be removed.
   */
  pass: (replaces: readonly Serving[], voided: (holds: Standing) => string | undefined) => Promise<string | undefined>;
  /** What was to be removed is gone: its record says so, with the number of what came instead. */
  replaced: () => Promise<void>;
}

export interface GateParts {
  store: Store;
  journal: Journal;
  config: () => Promise<Config>;
  /** How this process looks at nodes. */
  look: Look;
  now: () => Date;
}

/** The gate of one run. */
export function openGate(parts: GateParts, writer: RecordWriter): Gate {
  const { store, journal, config, now } = parts;
  const { record } = writer;

  return {
    now,
    policy: async () => {
      const { sparkops } = await config();
      return policyFor(sparkops, { action: actionOf(record), cluster: record.cluster });
    },
    interrupted: (found) => interruptedNow(parts, record.cluster, found),
    downMs: async () => usualDowntime(await endedLately(journal, store, record.cluster), record),
    ask: async (facts, policy) => {
      await writer.write((latest) => {
        const request = {
          action: actionOf(latest),
          by: askerOf(latest),
          terms: termsOf(policy),
          expiresMs: policy.expires,
        };
        const asked = askedForApproval(latest, { ...request, facts }, now());
        return asked && { ...asked, record: waiting(asked.record) };
      });
    },
    replaced: async () => {
      const { number, replaces = [] } = writer.record;
      for (const { uid } of replaces) {
        if (uid !== record.uid && (await journal.find(uid))) {
          await journal.change(uid, (latest) => replaced(latest, number, now()));
        }
      }
    },
    pass: async (replaces, voided) => {
      let why: string | undefined;
      const { keys } = store;
      await writer.writeWith([keys.hold(record.cluster), keys.freeze, keys.counter], (latest, values) => {
        if (values[2] === null) throw memoryLost();
        why = takenBack(latest) ?? voided(readHolds(values));
        return why === undefined ? passedReturn(latest, replaces, now()) : undefined;
      });
      return why;
    },
  };
}

/** Holds are read from the heads again together with the counter: tried again until they are. */
function memoryLost(): OperatorError {
  return new OperatorError('conflict', 'The store has lost its memory, and the nodes are being read', {
    hint: 'It goes on by itself.',
  });
}

/** An owner who objected after the approval. */
function takenBack({ approval }: Deployment): string | undefined {
  const decision = approval?.decision;
  return decision && decision.kind !== 'approved' ? ('why' in decision && decision.why) || decision.kind : undefined;
}

/** What serves, whose it is and what it does: one look at the nodes, and what earlier looks left. */
export async function interruptedNow(
  { store, journal, look, now }: GateParts,
  cluster: string,
  found: readonly Found[],
): Promise<readonly Interrupted[]> {
  const records = await Promise.all(found.map(async ({ uid }) => (await journal.find(uid))?.record));
  const engines = records.flatMap((record) => (record ? [engineAt(record)] : []));
  const answer = engines.length === 0 ? undefined : await look({ kind: 'status', clusters: [cluster], engines });
  const looked = answer?.kind === 'status' ? answer.clusters.flatMap((each) => each.engines) : [];
  return Promise.all(
    found.map(async (each, at) => {
      const samples = await samplesOf(store, each.uid);
      const { lastRequestAt, running, waiting, requestsLastHour } = usage(samples, now().getTime());
      return {
        ...each,
        ...aboutIt(records[at]),
        state: engineState(samples, now().getTime(), looked.find(({ uid }) => uid === each.uid)?.down),
        ...(running !== undefined && { running }),
        ...(waiting !== undefined && { waiting }),
        ...(requestsLastHour !== undefined && { requestsLastHour }),
        ...(lastRequestAt !== undefined && { lastRequestAt: new Date(lastRequestAt).toISOString() }),
      };
    }),
  );
}

function aboutIt(record: Deployment | undefined): Partial<Interrupted> {
  if (!record) return {};
  const { owner, until, note, endedAt } = record;
  return {
    ...(owner && { owner }),
    ...(until !== undefined && { until }),
    ...(note !== undefined && { note }),
    ...(endedAt !== undefined && { since: endedAt }),
  };
}

/** What serves on the cluster, and what has ended anywhere, newest first. */
async function endedLately(journal: Journal, { redis, keys }: Store, cluster: string): Promise<Deployment[]> {
  const uids = await inStore(async () => [
    ...(await redis.zrevrange(keys.serving(cluster), 0, '-1')),
    ...(await redis.zrevrange(keys.ended, 0, LOOK_BACK)),
  ]);
  const records = await Promise.all(uids.map(async (uid) => (await journal.find(uid))?.record));
  return records.filter((record) => record !== undefined);
}

const LOOK_BACK = 50;
