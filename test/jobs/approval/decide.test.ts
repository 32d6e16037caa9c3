import { describe, expect, test } from 'vitest';
import type { Approval, Say } from '../../../src/jobs/approval/approval.ts';
import { decide, expire } from '../../../src/jobs/approval/decide.ts';
import type { Person } from '../../../src/jobs/deployment.ts';
import { APPROVER, OPERATOR, OWNER, request, SECOND } from './people.ts';

const soon = new Date('2026-12-01T10:05:00.000Z');
const late = new Date('2026-12-01T10:30:00.000Z');

function say(what: Say, by: Person, { approval = request(), now = soon, passed = false } = {}): Approval {
  return decide(approval, what, by, { now, passed });
}

const two = (): Approval => request({ terms: { ...request().terms, required: 2 } });

test('one other person is enough, where one is asked for', () => {
  expect(say({ kind: 'approve', when: 'now' }, APPROVER).decision).toEqual({
    kind: 'approved',
    at: soon.toISOString(),
    by: [APPROVER],
    when: 'now',
  });
});

describe('who asked', () => {
  test('does not decide, unless the policy says so', () => {
    expect(() => say({ kind: 'approve', when: 'now' }, OPERATOR)).toThrow('You asked for it, so somebody else must');
    const self = request({ terms: { ...request().terms, self: true } });
    expect(say({ kind: 'approve', when: 'now' }, OPERATOR, { approval: self }).decision?.kind).toBe('approved');
  });

  test('may withdraw it, and nobody else may', () => {
    expect(say({ kind: 'withdraw' }, OPERATOR).decision).toMatchObject({ kind: 'withdrawn', by: OPERATOR });
    expect(() => say({ kind: 'withdraw' }, APPROVER)).toThrow('Only who asked for it may withdraw it.');
  });
});

describe('two of several', () => {
  test('the first is counted, the second decides', () => {
    const once = say({ kind: 'approve', when: 'now' }, APPROVER, { approval: two() });
    expect(once.decision).toBeUndefined();
    expect(once.votes).toHaveLength(1);
    const twice = say({ kind: 'approve', when: 'now' }, SECOND, { approval: once });
    expect(twice.decision).toMatchObject({ kind: 'approved', by: [APPROVER, SECOND] });
  });

  test('the same person is not counted twice', () => {
    const once = say({ kind: 'approve', when: 'now' }, APPROVER, { approval: two() });
    expect(() => say({ kind: 'approve', when: 'now' }, APPROVER, { approval: once })).toThrow('1 of 2 have');
  });

  test('who wants to wait until it is idle is not overruled', () => {
    const once = say({ kind: 'approve', when: 'idle' }, APPROVER, { approval: two() });
    expect(say({ kind: 'approve', when: 'now' }, SECOND, { approval: once }).decision).toMatchObject({ when: 'idle' });
  });

  test('one no is a no', () => {
    const once = say({ kind: 'approve', when: 'now' }, APPROVER, { approval: two() });
    const no = say({ kind: 'deny', why: 'an eval runs' }, SECOND, { approval: once });
    expect(no.decision).toEqual({ kind: 'denied', at: soon.toISOString(), by: SECOND, why: 'an eval runs' });
  });
});

test('the first decision stands', () => {
  const denied = say({ kind: 'deny' }, APPROVER);
  for (const what of [
    { kind: 'approve', when: 'now' },
    { kind: 'deny' },
    { kind: 'object' },
    { kind: 'withdraw' },
  ] as const) {
    expect(() => say(what, SECOND, { approval: denied })).toThrow('It is decided already: denied');
  }
});

test('after its time nobody decides', () => {
  expect(() => say({ kind: 'approve', when: 'now' }, APPROVER, { now: late })).toThrow(
    'The time for a decision is over',
  );
});

describe('the owner', () => {
  test('objects: the request is void', () => {
    expect(say({ kind: 'object', why: 'eval at 80 %' }, OWNER).decision).toMatchObject({
      kind: 'void',
      by: OWNER,
      why: 'its owner objects: eval at 80 %',
    });
  });

  test('may object to what was approved, until something was touched', () => {
    const approved = say({ kind: 'approve', when: 'idle' }, APPROVER);
    expect(say({ kind: 'object' }, OWNER, { approval: approved, now: late }).decision?.kind).toBe('void');
    expect(() => say({ kind: 'object' }, OWNER, { approval: approved, passed: true })).toThrow('decided already');
  });

  test('is the only one who may', () => {
    expect(() => say({ kind: 'object' }, APPROVER)).toThrow('Only the owner of what would be stopped may object.');
  });
});

describe('break glass', () => {
  const glass = (): Approval =>
    request({ terms: { ...request().terms, breakGlass: { afterMs: 600_000, right: 'operator' } } });
  const after = new Date('2026-12-01T10:10:00.000Z');
  const why: Say = { kind: 'break-glass', reason: 'prod is down' };

  test('one alone decides after the time that the policy gives the others, also who asked', () => {
    expect(() => say(why, OPERATOR, { approval: glass() })).toThrow('Those who decide still have time');
    expect(say(why, OPERATOR, { approval: glass(), now: after }).decision).toEqual({
      kind: 'approved',
      at: after.toISOString(),
      by: [OPERATOR],
      when: 'now',
      glass: { reason: 'prod is down' },
    });
  });

  test('an objection does not take it back', () => {
    const broken = say(why, OPERATOR, { approval: glass(), now: after });
    expect(() => say({ kind: 'object' }, OWNER, { approval: broken, now: after })).toThrow('decided already');
  });

  test('there is none without a policy for it', () => {
    expect(() => say(why, OPERATOR, { now: after })).toThrow('Nobody may decide this alone here.');
  });
});

describe('when its time is over', () => {
  test('nothing is done, or it goes ahead, as its terms say', () => {
    expect(expire(request(), late).decision).toEqual({ kind: 'expired', at: late.toISOString() });
    const proceed = request({ terms: { ...request().terms, onExpiry: 'proceed' } });
    expect(expire(proceed, late).decision).toEqual({ kind: 'approved', at: late.toISOString(), by: [], when: 'now' });
  });

  test('before that, and after a decision, it stays as it is', () => {
    const approval = request();
    expect(expire(approval, soon)).toBe(approval);
    const denied = say({ kind: 'deny' }, APPROVER);
    expect(expire(denied, late)).toBe(denied);
  });
});
