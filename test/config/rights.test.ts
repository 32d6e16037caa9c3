import { expect, test } from 'vitest';
import { aRight, atMost, highest, includes, readWho, RIGHTS } from '../../src/config/rights.ts';

test('each right includes those before it, and nobody has one for nothing', () => {
  for (const [at, has] of RIGHTS.entries()) {
    expect(RIGHTS.filter((needed) => includes(has, needed))).toEqual(RIGHTS.slice(0, at + 1));
    expect(includes('none', has)).toBe(false);
  }
});

test('a cap lowers, and never raises', () => {
  expect(atMost('admin', 'viewer')).toBe('viewer');
  expect(atMost('operator', 'approver')).toBe('operator');
  expect(atMost('approver', undefined)).toBe('approver');
  expect(atMost('none', 'viewer')).toBe('none');
});

test.each([
  ['everyone', { kind: 'everyone' }],
  ['U0123ABCD', { kind: 'user', user: 'U0123ABCD' }],
  ['W0123ABCD', { kind: 'user', user: 'W0123ABCD' }],
  ['T0123ABCD/U0456EFGH', { kind: 'user', team: 'T0123ABCD', user: 'U0456EFGH' }],
  ['S0123ABCD', { kind: 'group', group: 'S0123ABCD' }],
  ['ops', undefined],
  ['T0123ABCD/S0456EFGH', undefined],
  ['T0123ABCD', undefined],
  ['<@U0123ABCD>', undefined],
  ['U0123ABCD ', undefined],
])('%s', (name, who) => {
  expect(readWho(name)).toEqual(who);
});

test('who is listed twice has the higher right', () => {
  const rights = { viewer: ['U1'], operator: [], approver: ['U1'], admin: ['U2'] };
  expect(highest(rights, (who) => who.kind === 'user' && who.user === 'U1')).toBe('approver');
  expect(highest(rights, () => false)).toBe('none');
});

test('in words', () => {
  expect(RIGHTS.map(aRight)).toEqual(['a viewer', 'an operator', 'an approver', 'an admin']);
});
