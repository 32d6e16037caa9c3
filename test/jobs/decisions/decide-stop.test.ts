import { expect, test } from 'vitest';
import { abortSteps, decideAfterStop, decideStart } from '../../../src/jobs/decisions/decide-stop.ts';

const cause = { text: 'spark2 ran out of memory', lines: [] };
const by = { team: 'T1', user: 'U0OPERATOR' };

test.each([
  [
    { why: 'failed', cause, remedy: '' },
    { act: 'undo', reason: { why: 'failed', cause, remedy: '' } },
  ],
  [
    { why: 'cancelled', by },
    { act: 'undo', reason: { why: 'cancelled', by } },
  ],
  [
    { why: 'unknown', cause, remedy: 'look' },
    { act: 'undo', reason: { why: 'failed', cause, remedy: 'look' } },
  ],
  [
    { why: 'superseded', by: 143, cause, remedy: 'look' },
    { act: 'end', reason: { why: 'superseded', by: 143, cause, remedy: 'look' } },
  ],
  [{ why: 'lease-lost' }, { act: 'leave', outcome: 'lease-lost' }],
  [{ why: 'parked' }, { act: 'leave', outcome: 'parked' }],
  [
    { why: 'void', text: 'another model serves' },
    { act: 'void', text: 'another model serves' },
  ],
  [
    { why: 'handover', because: 'it ends' },
    { act: 'hand-over', because: 'it ends' },
  ],
] as const)('after $why', (stop, expected) => {
  expect(decideAfterStop(stop)).toEqual(expected);
});

const ORDER = ['preflight', 'start-head', 'serve'] as const;
const record = (state: 'running' | 'aborting' | 'serving', phase?: 'start-head' | 'serve', done = false) => ({
  state,
  ...(phase && {
    phase,
    phases: [{ name: phase, state: done ? ('done' as const) : ('running' as const), attempts: 1 }],
  }),
  ...(!phase && { phases: [] }),
});

test('a takeover begins at the recorded phase, goes on undoing, or finds that it is over', () => {
  const start = (...given: Parameters<typeof record>) => decideStart({ phases: [], ...record(...given) }, ORDER);
  expect(start('running')).toEqual({ act: 'run', from: 0 });
  expect(start('running', 'start-head')).toEqual({ act: 'run', from: 1 });
  expect(start('running', 'start-head', true)).toEqual({ act: 'run', from: 2 });
  expect(start('aborting', 'start-head')).toEqual({ act: 'undo' });
  expect(start('serving', 'serve', true)).toEqual({ act: 'nothing' });
});

const phase = (name: string, more: { changes?: boolean; undoes?: boolean; undone?: boolean } = {}) => ({
  phase: name,
  changes: true,
  undoes: true,
  undone: false,
  ...more,
});

test.each([
  [
    'undoes newest first, above a higher fence',
    [phase('head'), phase('serve')],
    { fresh: true, raised: true },
    'write-aborting raise-higher serve head write-end',
  ],
  [
    'a takeover only undoes what is left',
    [phase('head'), phase('serve', { undone: true })],
    { fresh: false, raised: false },
    'raise head write-end',
  ],
  [
    'nothing to undo, though a command may still be on its way',
    [phase('previous', { undoes: false })],
    { fresh: true, raised: false },
    'write-aborting raise-higher write-end',
  ],
  [
    'nothing was changed',
    [phase('preflight', { changes: false, undoes: false })],
    { fresh: true, raised: true },
    'write-aborting write-end',
  ],
  [
    'nothing was changed, as far as this process knows: another one may have sent something',
    [],
    { fresh: true, raised: false },
    'write-aborting raise write-end',
  ],
] as const)('giving up: %s', (_name, begun, options, expected) => {
  const steps = abortSteps(begun, options);
  const words = steps.map((step) => {
    if (step.act === 'undo') return step.phase;
    return step.act === 'raise' && step.higher ? 'raise-higher' : step.act;
  });
  expect(words.join(' ')).toBe(expected);
});
