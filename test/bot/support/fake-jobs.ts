import { OperatorError } from '../../../src/errors.ts';
import { isEnded, type Deployment } from '../../../src/jobs/deployment.ts';
import type { DeploymentEvent, EventBody } from '../../../src/jobs/events.ts';
import type { AuditEntry, Jobs, View } from '../../../src/jobs/jobs.ts';
import { aRecord } from './records.ts';

export interface FakeJobs extends Jobs {
  records: Map<string, Deployment>;
  views: Map<string, View>;
  audits: AuditEntry[];
  calls: string[];
  /** Names of deployments that are no longer presented. */
  done: string[];
  change: (uid: string, change: Partial<Deployment>, event?: EventBody) => void;
  add: (record: Deployment, view: View) => void;
  /** While set, every call to the store fails. */
  away: boolean;
  /** Another process presents: no lease is given. */
  leaseTaken: boolean;
  /** uids whose lease a process has now. */
  leases: Set<string>;
}

const CLUSTERS = ['spark', 'spark-b'];

/** Jobs in memory: records and events that a test changes, leases, and a bucket of tokens with real time. */
export function fakeJobs(replace: Partial<Jobs> = {}): FakeJobs {
  const records = new Map<string, Deployment>();
  const events = new Map<string, DeploymentEvent[]>();
  const views = new Map<string, View>();
  const unpresented = new Set<string>();
  const leases = new Set<string>();
  const seen = new Set<string>();
  const buckets = new Map<string, { tokens: number; at: number }>();
  const listeners = new Set<(uid: string) => void>();
  let numbers = 141;

  function reach(): void {
    if (jobs.away) throw new OperatorError('store-away', 'The store is away', { hint: 'I try again.' });
  }

  function tell(uid: string): void {
    unpresented.add(uid);
    for (const listener of listeners) listener(uid);
  }

  function append(uid: string, body: EventBody): void {
    const list = events.get(uid) ?? [];
    list.push({ ...body, seq: list.length + 1, at: new Date().toISOString() });
    events.set(uid, list);
  }

  function pick(cluster: string | undefined): string {
    if (cluster !== undefined) return cluster;
    throw new OperatorError('ambiguous', 'Which cluster?', { hint: 'Name one:' });
  }

  const jobs: FakeJobs = {
    records,
    views,
    audits: [],
    calls: [],
    done: [],
    away: false,
    leaseTaken: false,
    leases,
    add(record, view) {
      records.set(record.uid, record);
      views.set(record.uid, view);
      append(record.uid, { kind: 'admitted', by: record.by });
      tell(record.uid);
    },
    change(uid, change, event) {
      const record = records.get(uid);
      if (!record) throw new Error(`no record ${uid}`);
      records.set(uid, { ...record, ...change });
      if (event) append(uid, event);
      tell(uid);
    },
    async deploy({ recipe, cluster, overrides, by, view }) {
      reach();
      jobs.calls.push(`deploy ${recipe} on ${cluster ?? '?'} ${JSON.stringify(overrides)}`);
      const number = ++numbers;
      const uid = `uid${number}`;
      const record = aRecord({ uid, number, recipe, cluster: pick(cluster), by: { team: by.team, user: by.user } });
      jobs.add(record, view);
      return record;
    },
    async stop({ cluster, by, view }) {
      reach();
      const record = [...records.values()].find((one) => one.state === 'serving' && one.cluster === pick(cluster));
      if (!record) throw new OperatorError('unknown-name', 'Nothing serves there', { hint: 'See status.' });
      if (!views.has(record.uid)) views.set(record.uid, view);
      const { cause: _cause, remedy: _remedy, endedAt: _endedAt, ...kept } = record;
      records.set(record.uid, {
        ...kept,
        run: 'stop',
        state: 'queued',
        phases: [{ name: 'stop', state: 'waiting', attempts: 0 }],
      });
      append(record.uid, { kind: 'admitted', by: { team: by.team, user: by.user } });
      tell(record.uid);
      return records.get(record.uid) ?? record;
    },
    async cancel({ number, cluster, by }) {
      reach();
      jobs.calls.push(`cancel ${number ?? cluster ?? ''}`);
      const record = [...records.values()].find((one) => one.number === number || one.cluster === cluster);
      if (!record || isEnded(record.state))
        throw new OperatorError('unknown-name', 'Nothing to cancel', { hint: 'See status.' });
      const person = { team: by.team, user: by.user };
      jobs.change(
        record.uid,
        { cancelAsked: { by: person, at: new Date().toISOString() } },
        { kind: 'cancel-asked', by: person },
      );
      return record;
    },
    status: async () => {
      reach();
      return [];
    },
    logs: async ({ number, lines }) => ({
      cluster: 'spark',
      ...(number === undefined ? {} : { number }),
      node: 'spark1',
      source: "the engine's log",
      lines: Array.from({ length: lines }, (_, index) => `line ${index + 1}`),
    }),
    recipes: async () => [
      { name: 'qwen35', description: 'Qwen3.5' },
      { name: 'glm47', description: 'GLM' },
    ],
    clusters: async () => CLUSTERS,
    find: async (uid) => {
      reach();
      return structuredClone(records.get(uid));
    },
    findByNumber: async (number) => [...records.values()].find((record) => record.number === number),
    unpresented: async () => {
      reach();
      return [...unpresented];
    },
    events: async (uid, after) => {
      reach();
      return (events.get(uid) ?? []).filter((event) => event.seq > after);
    },
    view: (uid) => ({
      load: async () => {
        reach();
        return views.get(uid);
      },
      save: async (view) => {
        reach();
        views.set(uid, structuredClone(view));
      },
    }),
    presented: async (uid) => {
      unpresented.delete(uid);
      jobs.done.push(uid);
    },
    present: async (uid) => {
      reach();
      if (leases.has(uid) || jobs.leaseTaken) return undefined;
      leases.add(uid);
      return {
        renew: async () => !jobs.leaseTaken,
        release: async () => {
          leases.delete(uid);
        },
      };
    },
    once: async (key) => {
      reach();
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    },
    take: async (name, { perMinute, burst, reserve }) => {
      const now = performance.now();
      const bucket = buckets.get(name) ?? { tokens: burst, at: now };
      const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
      const ok = tokens >= 1 + reserve;
      buckets.set(name, { tokens: ok ? tokens - 1 : tokens, at: now });
      return ok ? { ok } : { ok, waitMs: Math.ceil(((1 + reserve - tokens) * 60_000) / perMinute) };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    audit: (entry) => void jobs.audits.push(entry),
    ...replace,
  };
  return jobs;
}
