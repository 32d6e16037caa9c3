import { expect, test } from 'vitest';
import type { Seen } from '../../../src/jobs/approval/still-true.ts';
import { voidedBy } from '../../../src/jobs/approval/still-true.ts';
import { OPERATOR, OWNER, request, SECOND, serving } from './people.ts';

const hold = (at: string) => ({ by: OWNER, name: 'Owner', reason: 'eval run', at, until: '2026-12-01T18:00:00.000Z' });
const AFTER = '2026-12-01T10:10:00.000Z';
const BEFORE = '2026-12-01T09:00:00.000Z';

function voided(seen: Partial<Seen>, { approval = request(), forced = false } = {}): string | undefined {
  return voidedBy(approval, { serving: [serving()], successors: [], ...seen }, forced);
}

test('as it was', () => {
  expect(voided({})).toBeUndefined();
});

test('three requests that became five change nothing; some where there were none do', () => {
  expect(voided({ serving: [serving({ running: 5 })] })).toBeUndefined();
  const idle = request({ facts: { ...request().facts, interrupts: [serving({ running: 0 })] } });
  expect(voided({ serving: [serving({ running: 12 })] }, { approval: idle })).toBe(
    'qwen35 has requests by now, and had none',
  );
});

test('what stopped serving meanwhile is no reason', () => {
  expect(voided({ serving: [] })).toBeUndefined();
});

test('another model serves', () => {
  expect(voided({ serving: [serving({ uid: 'cccccccccc', number: 143, recipe: 'glm47' })] })).toBe(
    'glm47 (#143) serves by now',
  );
});

test('it has another owner', () => {
  expect(voided({ serving: [serving({ owner: SECOND })] })).toBe('qwen35 has another owner by now');
});

test('a hold or a freeze that came meanwhile', () => {
  expect(voided({ hold: hold(AFTER) })).toBe('Owner holds the cluster by now: eval run');
  expect(voided({ freeze: hold(AFTER) })).toBe('everything is frozen by now: eval run');
});

test('a hold that was there, of who asked, or passed by force is none', () => {
  expect(voided({ hold: hold(BEFORE) })).toBeUndefined();
  expect(voided({ hold: { ...hold(AFTER), by: OPERATOR } })).toBeUndefined();
  expect(voided({ hold: hold(AFTER), freeze: hold(AFTER) }, { forced: true })).toBeUndefined();
});

test('something else of the same name that was started by hand', () => {
  const stop = request({
    action: 'stop-foreign',
    facts: { ...request().facts, interrupts: [], foreign: ['a on spark1'] },
  });
  expect(voided({ serving: [] }, { approval: stop })).toBeUndefined();
  expect(voided({ serving: [], successors: ['a on spark1'] }, { approval: stop, forced: true })).toBe(
    'a on spark1 is another one by now',
  );
});
