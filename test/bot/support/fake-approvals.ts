import { openApprovals } from '../../../src/jobs/approval/answer.ts';
import type { Approval, ApprovalFacts, Interrupted } from '../../../src/jobs/approval/approval.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import type { EventBody } from '../../../src/jobs/events.ts';
import type { Jobs } from '../../../src/jobs/jobs.ts';
import type { Entry, Journal } from '../../../src/jobs/journal.ts';
import { aRecord, at } from './records.ts';

const TEAM = 'T0LOCAL0001';

/** What jobs says of requests, on records in memory. */
export function fakeApprovals(
  records: Map<string, Deployment>,
  write: (uid: string, record: Deployment, event: EventBody | undefined) => void,
): Pick<Jobs, 'decide' | 'stopNow' | 'extend'> {
  const entry = (record: Deployment): Entry => ({ record, rev: 1, seq: 1, job: 'job', views: {} });
  const journal: Pick<Journal, 'findByNumber' | 'change'> = {
    findByNumber: async (number) => {
      const record = [...records.values()].find((one) => one.number === number);
      return record && entry(record);
    },
    change: async (uid, mutate) => {
      const record = records.get(uid);
      if (!record) throw new Error(`no record ${uid}`);
      const changed = mutate(record, []);
      if (changed) write(uid, changed.record, changed.event);
      return entry(changed?.record ?? record);
    },
  };
  return openApprovals({ journal: journal as Journal, wake: async () => undefined, now: () => new Date(at(60)) });
}

/** qwen35 (#140) of the Approver, in use. */
export function interrupted(change: Partial<Interrupted> = {}): Interrupted {
  return {
    uid: 'servinguid',
    number: 140,
    recipe: 'qwen35',
    owner: { team: TEAM, user: 'U0VIEWER001' },
    wayBack: { proven: true, text: 'image, disk and container are there' },
    state: 'ok',
    running: 3,
    waiting: 0,
    requestsLastHour: 212,
    lastRequestAt: at(-4),
    ...change,
  };
}

export function aRequest(change: Partial<Approval> = {}, facts: Partial<ApprovalFacts> = {}): Approval {
  return {
    id: 1,
    action: 'deploy',
    by: { team: TEAM, user: 'U0OPERATOR1' },
    at: at(30),
    until: at(1_830),
    terms: { required: 1, from: ['approver'], self: false, onExpiry: 'drop', idleMs: 8 * 3_600_000 },
    facts: {
      interrupts: [interrupted()],
      foreign: [],
      downMs: 960_000,
      checks: { ok: 31, warnings: 1 },
      protected: false,
      ...facts,
    },
    votes: [],
    ...change,
  };
}

/** glm47 (#142) that waits for approval. */
export function waiting(change: Partial<Deployment> = {}, approval: Approval = aRequest()): Deployment {
  const record = aRecord({
    recipe: 'glm47',
    action: approval.action,
    state: 'waiting-approval',
    phase: 'approval',
    approval,
  });
  const phases = record.phases.map((phase) => {
    if (phase.name === 'preflight')
      return { ...phase, state: 'done' as const, attempts: 1, startedAt: at(0), endedAt: at(10) };
    if (phase.name === 'approval') return { ...phase, state: 'running' as const, attempts: 1, startedAt: at(30) };
    return phase;
  });
  return { ...record, phases, ...change };
}
