import { describe, expect, test } from 'vitest';
import { Approvals, policyFor } from '../../src/config/approvals.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function policy(approvals: unknown, action: Parameters<typeof policyFor>[1]['action'] = 'stop', cluster = 'spark') {
  return policyFor({ approvals: Approvals.parse(approvals) }, { action, cluster });
}

test('nothing written: one approver, not oneself, within half an hour, and nothing happens without', () => {
  expect(policy({})).toEqual({
    required: 1,
    from: ['approver'],
    self: false,
    expires: 30 * MINUTE,
    on_expiry: 'drop',
    idle_limit: 8 * HOUR,
    protected: false,
  });
});

describe('what is nearest wins, each key for itself', () => {
  const written = {
    required: 1,
    expires: '1h',
    from: ['admin'],
    break_glass: { after: '10m', rights: 'operator' },
    actions: { stop: { required: 2, expires: '20m' }, restart: { self: true } },
    clusters: {
      spark: {
        protected: true,
        expires: '15m',
        from: ['S0123ABCD'],
        actions: { stop: { required: 3, on_expiry: 'proceed' }, rollback: { break_glass: false } },
      },
    },
  };
  const glass = { after: 10 * MINUTE, rights: 'operator' };

  test.each([
    // Of the action on the cluster, of the cluster, of the action, of all.
    [
      'stop',
      'spark',
      { required: 3, on_expiry: 'proceed', expires: 15 * MINUTE, from: ['S0123ABCD'], protected: true },
    ],
    // Of the cluster before of the action.
    ['restart', 'spark', { required: 1, expires: 15 * MINUTE, self: true, on_expiry: 'drop', protected: true }],
    ['stop', 'other', { required: 2, expires: 20 * MINUTE, from: ['admin'], protected: false, on_expiry: 'drop' }],
    ['deploy', 'other', { required: 1, expires: HOUR, from: ['admin'], self: false, break_glass: glass }],
    ['stop-foreign', 'spark', { required: 1, from: ['S0123ABCD'], break_glass: glass }],
  ] as const)('%s on %s', (action, cluster, expected) => {
    expect(policy(written, action, cluster)).toMatchObject(expected);
  });

  test('a nearer false takes the broken glass away', () => {
    expect(policy(written, 'rollback')).not.toHaveProperty('break_glass');
    expect(policy(written, 'cancel')).toHaveProperty('break_glass', glass);
  });

  test('a nearer false also counts where it is no exception', () => {
    expect(policy({ self: true, actions: { stop: { self: false } } }).self).toBe(false);
  });

  test('names that every object has are no clusters', () => {
    expect(policy(written, 'stop', 'constructor')).toMatchObject({ required: 2, protected: false });
  });
});
