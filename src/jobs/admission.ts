import { setTimeout as sleep } from 'node:timers/promises';
import { renderForeignPlan } from '../cluster/engines/foreign-plan.ts';
import type { Foreign } from '../cluster/probes/foreign.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import { planAgain } from './again.ts';
import { admit, admitStop, type Admission } from './claim.ts';
import { isForeign, type Deployment } from './deployment.ts';
import { toRestart, toRollBackTo, type AgainOf } from './earlier.ts';
import type { AgainRequest, DeployRequest, Jobs } from './jobs.ts';
import { foreign as foreignVersion, type Entry, type Journal } from './journal.ts';
import { person } from './new-record.ts';
import { newUid, type Prepared } from './prepare.ts';
import { busy, ClusterHeld, starting, storeAway } from './refusal.ts';
import { inStore, type Store } from './store.ts';

export interface AdmissionParts {
  store: Store;
  journal: Journal;
  config: () => Promise<Config>;
  prepare: (request: DeployRequest) => Promise<Prepared>;
  /** Looks for what others run on a cluster, by name. Rejects 'unknown-name' for one that isn't there. */
  foreign: (cluster: string, names: readonly string[]) => Promise<readonly Foreign[]>;
  /** Best effort: what the queue does not get now, the reconciler puts there. */
  enqueue: (uid: string, job: string) => Promise<void>;
  sparkopsVersion: string;
  now: () => Date;
}

type Wanting = Pick<DeployRequest, 'by' | 'surface' | 'view' | 'until' | 'note' | 'forced'>;

/** How long an admission waits for the nodes to be read after a start. */
const STARTING_MS = 2_000;
const LOOK_AGAIN_MS = 100;

/** What people ask to be changed. Accepts or refuses at once. */
export function openAdmission(
  parts: AdmissionParts,
): Pick<Jobs, 'deploy' | 'stop' | 'restart' | 'rollback' | 'stopForeign'> {
  const { store, journal, now } = parts;

  async function deploy(request: DeployRequest): Promise<Deployment> {
    const { plan, revision } = await parts.prepare(request);
    return attempt({ plan, revision, action: 'deploy' }, request);
  }

  async function restart(request: AgainRequest): Promise<Deployment> {
    const { record } = await toRestart(parts, await onceCounted(() => wanted(request)));
    const { revision, until, note, owner } = record;
    const plan = planAgain(record.plan, newUid());
    return attempt(
      { plan, revision, action: 'restart', ...(owner && { owner }) },
      { ...request, ...(until !== undefined && { until }), ...(note !== undefined && { note }) },
    );
  }

  async function rollback(request: AgainRequest): Promise<Deployment> {
    const { record } = await toRollBackTo(parts, await onceCounted(() => wanted(request)));
    const plan = planAgain(record.plan, newUid(), record.imageDigest);
    return attempt({ plan, revision: record.revision, action: 'rollback' }, request);
  }

  async function stopForeign({ names, ...request }: Parameters<Jobs['stopForeign']>[0]): Promise<Deployment> {
    const config = await parts.config();
    const cluster = resolveCluster(config, { name: request.cluster, channel: request.channel });
    const foreign = await parts.foreign(cluster.name, names);
    const { name: realm, timeouts } = config.sparkops;
    const plan = renderForeignPlan({ cluster, names: foreign.map(({ name }) => name), uid: newUid(), realm, timeouts });
    return attempt({ plan, revision: config.revision, action: 'stop-foreign', foreign }, request);
  }

  async function attempt(
    what: Pick<Admission, 'plan' | 'revision' | 'action' | 'owner' | 'foreign'>,
    { by, surface, view, until, note, forced }: Wanting,
  ): Promise<Deployment> {
    const admission: Admission = {
      ...what,
      sparkopsVersion: parts.sparkopsVersion,
      by,
      ...(until !== undefined && { until }),
      ...(note !== undefined && { note }),
      ...(forced && { forced: { ...forced, by: person(by) } }),
      surface,
      view,
    };
    const admitted = await onceCounted(() => admit(store, admission, now));
    switch (admitted.outcome) {
      case 'admitted':
        await parts.enqueue(admitted.record.uid, admitted.job);
        return admitted.record;
      case 'busy':
        throw busy('Not started', what.plan.cluster, (await journal.find(admitted.uid))?.record);
      case 'held':
        throw new ClusterHeld('Not started', admitted.what === 'hold' ? what.plan.cluster : undefined, admitted.hold);
      case 'late':
        throw storeAway();
      case 'no-counter':
        throw starting();
    }
  }

  async function stop({ forced, ...request }: Parameters<Jobs['stop']>[0]): Promise<Deployment> {
    const { name } = resolveCluster(await parts.config(), { name: request.cluster, channel: request.channel });
    const serving = await servingEntry(name);
    const { by, surface, view } = request;
    const reasons = forced && { forced: { ...forced, by: person(by) } };
    const admitted = await admitStop(store, { ...serving, by, surface, view, action: 'stop', ...reasons }, now);
    switch (admitted.outcome) {
      case 'admitted':
        await parts.enqueue(admitted.record.uid, admitted.job);
        return admitted.record;
      case 'busy':
        throw busy('Not stopped', name, (await journal.find(admitted.uid))?.record);
      case 'held':
        throw new ClusterHeld('Not stopped', admitted.what === 'hold' ? name : undefined, admitted.hold);
      case 'late':
        throw storeAway();
      case 'changed':
        throw new OperatorError('conflict', `Not stopped: #${serving.record.number} on ${name} changed meanwhile.`, {
          hint: 'Look at status, then ask again.',
        });
    }
  }

  /** What a restart or a rollback is about: a number, or a cluster. */
  async function wanted({ number, ...request }: AgainRequest): Promise<AgainOf> {
    if (number !== undefined) return { outcome: 'found', number };
    const { name } = resolveCluster(await parts.config(), { name: request.cluster, channel: request.channel });
    const counter = await inStore(() => store.redis.get(store.keys.counter));
    return counter === null ? { outcome: 'no-counter' } : { outcome: 'found', cluster: name };
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
    if (entry && isForeign(entry.record)) throw foreignVersion(entry.record);
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

  return { deploy, stop, restart, rollback, stopForeign };
}
