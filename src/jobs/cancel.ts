import { policyFor } from '../config/approvals.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import { cancelNeedsApproval } from './approval/needed.ts';
import { termsOf } from './approval/terms.ts';
import { isEnded, type Deployment, type Person } from './deployment.ts';
import type { ClusterRequest, Jobs } from './jobs.ts';
import { numbered, type Entry, type Journal } from './journal.ts';
import { person } from './new-record.ts';
import { askedForApproval, type RecordChange } from './run/record-changes.ts';
import { inStore, type Store } from './store.ts';

export interface CancelParts {
  store: Store;
  journal: Journal;
  config: () => Promise<Config>;
  /** Wakes a run that waits for people. */
  wake: (job: string) => Promise<void>;
  now: () => Date;
}

/** The wish to end a run, acted on by whoever runs it; or the request for it, where somebody else's attempt has gone too far. */
export function openCancel({ store, journal, config, wake, now }: CancelParts): Jobs['cancel'] {
  return async (request) => {
    const { record } = await wanted(request);
    const by = person(request.by);
    const policy = policyFor((await config()).sparkops, { action: 'cancel', cluster: record.cluster });
    const entry = await journal.change(record.uid, (latest) => {
      if (isEnded(latest.state)) throw notRunning(latest);
      if (latest.run === 'stop' && latest.pastReturnAt !== undefined) throw notCancelled(latest);
      if (latest.cancelAsked || latest.state === 'aborting') return undefined;
      if (!cancelNeedsApproval(latest, by)) return cancelAsked(latest, by, now());
      const { expires } = policy;
      return askedForApproval(
        latest,
        { action: 'cancel', by, terms: termsOf(policy), expiresMs: expires, facts: factsOf(latest) },
        now(),
      );
    });
    if (entry.record.state === 'waiting-approval') await wake(entry.job);
    return entry.record;
  };

  async function wanted({ number, ...request }: ClusterRequest & { number?: number }): Promise<Entry> {
    if (number !== undefined) return numbered(journal, number);
    const { name } = resolveCluster(await config(), { name: request.cluster, channel: request.channel });
    const uid = await inStore(() => store.redis.get(store.keys.claim(name)));
    const entry = uid === null ? undefined : await journal.find(uid);
    if (entry) return entry;
    throw new OperatorError('unknown-name', `Nothing is being deployed on ${name}.`, {
      hint: `What serves is stopped with: stop ${name}`,
    });
  }
}

function cancelAsked(record: Deployment, by: Person, at: Date): RecordChange {
  const asked = { by, at: at.toISOString() };
  return { record: { ...record, cancelAsked: asked }, event: { kind: 'cancel-asked', by } };
}

/** What a cancel interrupts is the attempt itself: nobody needs to look for that. */
function factsOf(record: Deployment): Parameters<typeof askedForApproval>[1]['facts'] {
  const { uid, number, recipe, owner, until, note, createdAt } = record;
  return {
    interrupts: [
      {
        uid,
        number,
        recipe,
        ...(owner && { owner }),
        ...(until !== undefined && { until }),
        ...(note !== undefined && { note }),
        since: createdAt,
        state: 'unknown',
        wayBack: { proven: false, text: 'what served before is gone already' },
      },
    ],
    foreign: [],
    checks: record.checks ?? { ok: 0, warnings: 0 },
    protected: false,
  };
}

function notRunning({ number, state, cluster }: Deployment): OperatorError {
  return new OperatorError('conflict', `#${number} is ${state}, so there is nothing to cancel.`, {
    hint: state === 'serving' ? `Stop it with: stop ${cluster}` : 'status shows what runs.',
  });
}

function notCancelled({ number }: Deployment): OperatorError {
  return new OperatorError('conflict', `#${number} is being stopped, and a stop can't be cancelled.`, {
    hint: 'Deploy it again once it has stopped.',
  });
}
