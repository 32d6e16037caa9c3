import { describe, expect, test } from 'vitest';
import { lastTime, pickLines } from '../../../src/cluster/logs/pick-lines.ts';

const now = new Date('2026-12-01T12:00:00Z');
const log = [
  'a banner without a time',
  '(APIServer pid=1) INFO 12-01 11:40:00 [api.py:1] old',
  '(APIServer pid=1) INFO 12-01 11:56:00 [api.py:1] young [CUDA error]',
  'Traceback (most recent call last):',
  '2026-12-01T11:59:30.123Z docker says cuda ERROR',
];

describe('lines of a log', () => {
  test('that hold a text, as it stands', () => {
    expect(pickLines(log, { grep: 'cuda error', now })).toEqual([log[2], log[4]]);
    expect(pickLines(log, { grep: '[CUDA', now })).toEqual([log[2]]);
    expect(pickLines(log, { grep: '.*', now })).toEqual([]);
  });

  test('of the last minutes; one without a time belongs to the one before it', () => {
    expect(pickLines(log, { sinceMs: 300_000, now })).toEqual(log.slice(2));
    expect(pickLines(log, { sinceMs: 60_000, now })).toEqual([log[4]]);
    expect(pickLines(log, { sinceMs: 1_000, now })).toEqual([]);
    expect(pickLines(log, { sinceMs: 300_000, grep: 'traceback', now })).toEqual([log[3]]);
  });

  test('over the turn of a year', () => {
    const january = new Date('2027-01-01T00:01:00Z');
    const line = 'INFO 12-31 23:59:00 [x.py:1] before midnight';
    expect(pickLines([line], { sinceMs: 300_000, now: january })).toEqual([line]);
    expect(lastTime([line, 'no time'], january)).toEqual(new Date('2026-12-31T23:59:00Z'));
  });
});
