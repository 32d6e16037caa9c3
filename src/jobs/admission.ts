import { setTimeout as sleep } from 'node:timers/promises';
import { resolveCluster } from '../config/resolve-cluster.ts';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { admit, admitStop } from './claim.ts';
import { isEnded, isForeign, type Deployment } from './deployment.ts';
import type { ClusterRequest, DeployRequest, Jobs } from './jobs.ts';
import { foreign, type Entry, type Journal } from './journal.ts';
import type { Prepared } from './prepare.ts';
import { busy, starting, storeAway } from './refusal.ts';
import { inStore, type Store } from './store.ts';

export interface AdmissionParts {
  store: Store;
  journal: Journal;
  config: () => Promise<Config>;
  prepare: (request: DeployRequest) => Promise<Prepared>;
  /** Best effort: what the queue does not get now, the reconciler puts there. */
  enqueue: (uid: string, job: string) => Promise<void>;
  sparkopsVersion: string;
  now: () => Date;
}

/** How long an admission waits for the nodes to be read after a start. */
const STARTING_MS = 2_000;
const LOOK_AGAIN_MS = 100;

/** What people ask to be changed. Accepts or refuses at once. */
export function openAdmission(parts: AdmissionParts): Pick<Jobs, 'deploy' | 'stop' | 'cancel'> {
  const { store, journal, now } = parts;

  async function deploy(request: DeployRequest): Promise<Deployment> {
    const { plan, revision } = await parts.prepare(request);
    const { by, surface, view, until, note } = request;
    const admission = {
      plan,
      revision,
      sparkopsVersion: parts.sparkopsVersion,
      by,
      ...(until !== undefined && { until }),
      ...(note !== undefined && { note }),
      surface,
      view,
    };
    const admitted = await onceCounted(() => admit(store, admission, now));
    switch (admitted.outcome) {
      case 'admitted':
        await parts.enqueue(admitted.record.uid, admitted.job);
        return admitted.record;
      case 'busy':
        throw busy('Not started', plan.cluster, (await journal.find(admitted.uid))?.record);
      case 'late':
        throw storeAway();
      case 'no-counter':
        throw starting();
    }
  }

  async function stop(request: ClusterRequest): Promise<Deployment> {
    const { name } = resolveCluster(
      await parts.config(),
      request.cluster === undefined ? place(request) : { name: request.cluster },
    );
    const serving = await servingEntry(name);
    const { by, surface, view } = request;
    const admitted = await admitStop(store, { ...serving, by, surface, view }, now);
    switch (admitted.outcome) {
      case 'admitted':
        await parts.enqueue(admitted.record.uid, admitted.job);
        return admitted.record;
      case 'busy':
        throw busy('Not stopped', name, (await journal.find(admitted.uid))?.record);
      case 'late':
        throw storeAway();
      case 'changed':
        throw new OperatorError('conflict', `Not stopped: #${serving.record.number} on ${name} changed meanwhile.`, {
          hint: 'Look at status, then ask again.',
        });
    }
  }

  async function servingEntry(cluster: string): Promise<Entry> {
    const uid = await onceCounted(async () => {
      const [first] = await inStore(() => store.redis.zrange(store.keys.serving(cluster), 0, '0'));
      if (first !== undefined) return { outcome: first };
      const counter = await inStore(() => store.redis.get(store.keys.counter));
      return { outcome: counter === null ? 'no-counter' : '' };
    });
    if (uid.outcome === 'no-counter') throw starting();
    const entry = uid.outcome === '' ? undefined : await journal.find(uid.outcome);
    if (entry && isForeign(entry.record)) throw foreign(entry.record);
    if (entry?.record.state === 'serving') return entry;
    const claimed = entry ?? (await claimant(cluster));
    if (claimed) throw busy('Not stopped', cluster, claimed.record);
    throw new OperatorError('unknown-name', `Nothing serves on ${cluster}.`, {
      hint: `See what is there: status ${cluster}`,
    });
  }

  async function claimant(cluster: string): Promise<Entry | undefined> {
    const uid = await inStore(() => store.redis.get(store.keys.claim(cluster)));
    return uid === null ? undefined : journal.find(uid);
  }

  async function cancel(request: ClusterRequest & { number?: number }): Promise<Deployment> {
    const { record } = await wanted(request);
    const { team, user } = request.by;
    const asked = { by: { team, user }, at: now().toISOString() };
    const entry = await journal.change(record.uid, (latest) => {
      if (isEnded(latest.state)) throw notRunning(latest);
      if (latest.run === 'stop') throw notCancelled(latest);
      if (latest.cancelAsked || latest.state === 'aborting') return undefined;
      return { record: { ...latest, cancelAsked: asked }, event: { kind: 'cancel-asked', by: asked.by } };
    });
    return entry.record;
  }

  async function wanted({ number, ...request }: ClusterRequest & { number?: number }): Promise<Entry> {
    if (number !== undefined) {
      const entry = await journal.findByNumber(number);
      if (entry) return entry;
      throw new OperatorError('unknown-name', `There is no deployment #${number}.`, {
        hint: 'status shows what runs.',
      });
    }
    const { name } = resolveCluster(
      await parts.config(),
      request.cluster === undefined ? place(request) : { name: request.cluster },
    );
    const entry = await claimant(name);
    if (entry) return entry;
    throw new OperatorError('unknown-name', `Nothing is being deployed on ${name}.`, {
      hint: `What serves is stopped with: stop ${name}`,
    });
  }

  /** A worker sets the counter from the nodes at its start, and when it hears that someone misses it. */
  async function onceCounted<T extends { outcome: string }>(attempt: () => Promise<T>): Promise<T> {
    const end = performance.now() + STARTING_MS;
    for (;;) {
      const result = await attempt();
      if (result.outcome !== 'no-counter' || performance.now() >= end) return result;
      await inStore(() => store.redis.publish(store.keys.counterWanted, ''));
      await sleep(LOOK_AGAIN_MS);
    }
  }

  return { deploy, stop, cancel };
}

function place({ channel }: ClusterRequest): { channel?: string } {
  return channel === undefined ? {} : { channel };
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
