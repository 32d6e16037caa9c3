import { describe, expect, test } from 'vitest';
import { readAge, readUntil } from '../../src/bot/when.ts';

const now = new Date('2026-12-01T12:00:00Z');

test.each([
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['90s', 90_000],
  ['5 min', 300_000],
  ['5', undefined],
  ['-5m', undefined],
  ['5y', undefined],
])('an age: %s', (text, expected) => {
  expect(readAge(text)).toBe(expected);
});

describe('until, in the zone of who says it', () => {
  test.each([
    ['18:00', 'UTC', '2026-12-01T18:00:00.000Z'],
    ['18:00', 'Europe/Berlin', '2026-12-01T17:00:00.000Z'],
    ['18:00', 'America/Los_Angeles', '2026-12-02T02:00:00.000Z'],
    ['9:30', 'UTC', '2026-12-02T09:30:00.000Z'],
    ['13:00', 'Europe/Berlin', '2026-12-02T12:00:00.000Z'],
    ['2h', 'Asia/Tokyo', '2026-12-01T14:00:00.000Z'],
    ['2026-12-03', 'Asia/Kolkata', '2026-12-03T18:29:00.000Z'],
    ['2026-12-03 08:00', 'Europe/Berlin', '2026-12-03T07:00:00.000Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(readUntil(text, now, zone)).toBe(expected);
  });

  test('over a change to summer time', () => {
    const march = new Date('2026-03-28T12:00:00Z');
    expect(readUntil('2026-03-29 08:00', march, 'Europe/Berlin')).toBe('2026-03-29T06:00:00.000Z');
  });

  test.each(['late', '25:00', '2026-13-01', '2026-12-01 11:00', '2025-01-01', '400d', ''])('%s is refused', (text) => {
    expect(() => readUntil(text, now, 'UTC')).toThrow(/time|within the next 90 days/);
  });
});
