import { describe, expect, test } from 'vitest';
import type { ApprovalFacts } from '../../../src/jobs/approval/approval.ts';
import { cancelNeedsApproval, needsNoApproval } from '../../../src/jobs/approval/needed.ts';
import type { Action } from '../../../src/jobs/deployment.ts';
import { OPERATOR, OWNER, serving } from './people.ts';

const now = new Date('2026-12-01T10:00:00.000Z');

function needs(action: Action, change: Partial<ApprovalFacts> = {}): string | undefined {
  const facts = { interrupts: [serving()], foreign: [], protected: false, ...change };
  return needsNoApproval({ action, facts, now });
}

describe('nobody has to be asked', () => {
  test.each<[string, Action, Partial<ApprovalFacts>, string]>([
    ['nothing serves', 'deploy', { interrupts: [] }, 'nothing is interrupted'],
    ['a wedged model is restarted', 'restart', { interrupts: [serving({ state: 'wedged' })] }, 'qwen35 (#141) wedged'],
    ['a dead one is restarted', 'restart', { interrupts: [serving({ state: 'down' })] }, 'qwen35 (#141) down'],
    [
      'a wedged one on a protected cluster',
      'restart',
      { interrupts: [serving({ state: 'wedged' })], protected: true },
      'wedged',
    ],
    ['its time is over', 'deploy', { interrupts: [serving({ until: '2026-12-01T09:00:00.000Z' })] }, 'served its time'],
  ])('%s', (_, action, facts, words) => {
    expect(needs(action, facts)).toContain(words);
  });
});

describe('somebody has to be asked', () => {
  test.each<[string, Action, Partial<ApprovalFacts>]>([
    ['a model serves', 'deploy', {}],
    ['a healthy one is restarted', 'restart', {}],
    ['nobody knows how it is', 'restart', { interrupts: [serving({ state: 'unknown' })] }],
    [
      'one of two is healthy',
      'restart',
      { interrupts: [serving({ state: 'wedged' }), serving({ uid: 'cccccccccc' })] },
    ],
    ['a wedged one would be replaced', 'deploy', { interrupts: [serving({ state: 'wedged' })] }],
    ['it is needed for longer', 'stop', { interrupts: [serving({ until: '2026-12-01T18:00:00.000Z' })] }],
    ['the cluster is protected', 'deploy', { interrupts: [], protected: true }],
    ['it is not ours', 'stop-foreign', { interrupts: [], foreign: ['vllm_node on spark1'] }],
  ])('%s', (_, action, facts) => {
    expect(needs(action, facts)).toBeUndefined();
  });
});

test("a cancel asks only for somebody else's, and only past the point of no return", () => {
  const passed = { by: OWNER, pastReturnAt: '2026-12-01T09:00:00.000Z' };
  expect(cancelNeedsApproval(passed, OPERATOR)).toBe(true);
  expect(cancelNeedsApproval(passed, OWNER)).toBe(false);
  expect(cancelNeedsApproval({ by: OWNER }, OPERATOR)).toBe(false);
});
