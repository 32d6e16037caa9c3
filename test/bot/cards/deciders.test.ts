import { expect, test } from 'vitest';
import { decidersOf } from '../../../src/bot/cards/deciders.ts';
import type { Rights } from '../../../src/config/rights.ts';

const rights: Rights = {
  viewer: ['everyone'],
  operator: ['U0OPERATOR1'],
  approver: ['U0APPROVER1', 'S0ONCALL001', 'T0OTHER0001/U0FRIEND001'],
  admin: ['U0ADMIN0001'],
};

test.each([
  [['approver'], ['<@U0APPROVER1>', '<!subteam^S0ONCALL001>', '<@U0FRIEND001>']],
  [
    ['U0VIEWER001', 'S0ONCALL001'],
    ['<@U0VIEWER001>', '<!subteam^S0ONCALL001>'],
  ],
  [
    ['admin', 'approver', 'U0APPROVER1'],
    ['<@U0ADMIN0001>', '<@U0APPROVER1>', '<!subteam^S0ONCALL001>', '<@U0FRIEND001>'],
  ],
])('%j are mentioned', (from, expected) => {
  expect(decidersOf(from, rights)).toEqual(expected);
});

test('nobody has the right: who has the next higher one', () => {
  expect(decidersOf(['approver'], { ...rights, approver: [] })).toEqual(['<@U0ADMIN0001>']);
  expect(decidersOf(['approver'], { ...rights, approver: [], admin: [] })).toEqual([]);
});

test('who asked does not decide', () => {
  expect(decidersOf(['approver'], rights, 'U0APPROVER1')).toEqual(['<!subteam^S0ONCALL001>', '<@U0FRIEND001>']);
});
