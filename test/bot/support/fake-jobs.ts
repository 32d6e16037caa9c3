import { OperatorError } from '../../../src/errors.ts';
import { isEnded, type Deployment } from '../../../src/jobs/deployment.ts';
import type { DeploymentEvent, EventBody } from '../../../src/jobs/events.ts';
import type { AgainRequest, Asker, AuditEntry, ClusterState, Jobs, View } from '../../../src/jobs/jobs.ts';
import { fakeApprovals } from './fake-approvals.ts';
import { fakeHolds } from './fake-holds.ts';
import { aPlan, aRecord, serving, START } from './records.ts';

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

  function stateOf(cluster: string): ClusterState {
    const here = [...records.values()].filter((record) => record.cluster === cluster);
    const busy = here.find(({ state }) => !isEnded(state));
    const up = here.filter(({ state }) => state === 'serving');
    return { cluster, description: 'two Sparks', channels: [], serving: up, ...(busy && { busy }) };
  }

  async function again(action: 'restart' | 'rollback', request: AgainRequest): Promise<Deployment> {
    reach();
    const { number: of, cluster, forced, by, view } = request;
    jobs.calls.push(`${action} ${of ?? cluster ?? '?'}${forced ? ` ${JSON.stringify(forced)}` : ''}`);
    const before = [...records.values()].find((one) =>
      of === undefined ? one.cluster === cluster : one.number === of,
    );
    if (!before) throw new OperatorError('unknown-name', 'Nothing has served there.', { hint: 'See history.' });
    const number = ++numbers;
    const { recipe, cluster: where } = before;
    const record = aRecord({ uid: `uid${number}`, number, recipe, cluster: where, action, by: personOf(by) });
    jobs.add(record, view);
    return record;
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
    async deploy({ recipe, cluster, overrides, until, note, forced, by, view }) {
      reach();
      jobs.calls.push(`deploy ${recipe} on ${cluster ?? '?'} ${JSON.stringify(overrides)}`);
      const number = ++numbers;
      const uid = `uid${number}`;
      const record = aRecord({
        uid,
        number,
        recipe,
        cluster: pick(cluster),
        by: { team: by.team, user: by.user },
        plan: aPlan({ uid, recipe, cluster: pick(cluster), overrides }),
        ...(until !== undefined && { until }),
        ...(note !== undefined && { note }),
        ...(forced && { forced: { ...forced, by: personOf(by) } }),
      });
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
    restart: async (request) => again('restart', request),
    rollback: async (request) => again('rollback', request),
    stopForeign: async ({ cluster, names, by, view }) => {
      reach();
      jobs.calls.push(`stop-foreign ${names.join(',')} on ${cluster ?? '?'}`);
      const number = ++numbers;
      const record = aRecord({
        uid: `uid${number}`,
        number,
        cluster: pick(cluster),
        by: personOf(by),
        run: 'stop-foreign',
      });
      jobs.add(record, view);
      return record;
    },
    mine: async ({ cluster, name }) => ({
      cluster: pick(cluster),
      claimed: [{ node: 'spark1', kind: 'container', name, id: 'c1', ports: [] }],
    }),
    ...fakeApprovals(records, (uid, record, event) => jobs.change(uid, record, event)),
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
    check: async ({ cluster, recipe = 'qwen35' }) => ({
      cluster: pick(cluster),
      recipe,
      rows: [
        { node: 'spark1', check: 'docker', state: 'ok', text: '29.1' },
        { node: 'spark2', check: 'image', state: 'failed', text: 'the image is not there', remedy: 'Pull it.' },
      ],
    }),
    diagnose: async ({ cluster }) => ({
      status: { ...stateOf(pick(cluster)), nodes: [], engines: [], lookedAt: START },
      log: {
        node: 'spark1',
        source: 'the engine',
        quietSeconds: 4,
        error: { text: 'torch.OutOfMemoryError: CUDA out of memory', lines: ['one', 'torch.OutOfMemoryError: two'] },
        last: ['last line'],
      },
    }),
    bench: async () => ({
      record: serving(),
      runs: [{ name: 'short answer', ttftMs: 120, tokens: 60, tokensPerSecond: 24.6 }],
    }),
    plan: async ({ recipe, cluster, overrides }) => {
      jobs.calls.push(`plan ${recipe} on ${cluster ?? '?'} ${JSON.stringify(overrides)}`);
      if ('max_len' in overrides) throw new OperatorError('usage', 'There is no max_len.', { hint: 'Known: port.' });
      return {
        plan: aPlan({ recipe, cluster: pick(cluster) }),
        revision: '1a2b3c4d',
        text: 'qwen35 on spark\n\nserve, in the container on spark1\n    vllm serve\n\nlimits\n  load 45 min\n',
      };
    },
    history: async ({ cluster, by, since = '', limit }) =>
      [...records.values()]
        .filter((record) => (cluster ?? record.cluster) === record.cluster && (by ?? record.by.user) === record.by.user)
        .filter(({ createdAt }) => createdAt >= since)
        .toSorted((a, b) => b.number - a.number)
        .slice(0, limit),
    overview: async () => CLUSTERS.map((name) => ({ ...stateOf(name), nodeNames: ['spark1', 'spark2'] })),
    fullLog: async () => undefined,
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
    ...fakeHolds(),
    notices: { take: async () => [], onDue: () => () => undefined },
    audit: (entry) => void jobs.audits.push(entry),
    audited: async () => undefined,
    decisions: async () => [],
    ...replace,
  };
  return jobs;
}

function personOf({ team, user }: Asker): Deployment['by'] {
  return { team, user };
}
