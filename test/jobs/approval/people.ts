import type { Approval, Interrupted } from '../../../src/jobs/approval/approval.ts';

export const OPERATOR = { team: 'T1', user: 'U0OPERATOR' };
export const OWNER = { team: 'T1', user: 'U0OWNER' };
export const APPROVER = { team: 'T1', user: 'U0APPROVER' };
export const SECOND = { team: 'T1', user: 'U0SECOND' };
const ASKED = '2026-12-01T10:00:00.000Z';

export function serving(change: Partial<Interrupted> = {}): Interrupted {
  return {
    uid: 'bbbbbbbbbb',
    number: 141,
    recipe: 'qwen35',
    owner: OWNER,
    state: 'ok',
    running: 3,
    waiting: 0,
    wayBack: { proven: true, text: 'image and models are still there' },
    ...change,
  };
}

export function request(change: Partial<Approval> = {}): Approval {
  return {
    id: 1,
    action: 'deploy',
    by: OPERATOR,
    at: ASKED,
    until: '2026-12-01T10:30:00.000Z',
    terms: { required: 1, from: ['approver'], self: false, onExpiry: 'drop', idleMs: 3_600_000 },
    facts: { interrupts: [serving()], foreign: [], checks: { ok: 31, warnings: 1 }, protected: false },
    votes: [],
    ...change,
  };
}
