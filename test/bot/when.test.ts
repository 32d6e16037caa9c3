import { describe, expect, test } from 'vitest';
import { nextWorkday, readAge, readUntil } from '../../src/bot/when.ts';

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

test.each([
  ['a Tuesday noon', '2026-12-01T12:00:00Z', 'UTC', '2026-12-01T18:00:00.000Z'],
  ['an hour before', '2026-12-01T17:00:00Z', 'UTC', '2026-12-01T18:00:00.000Z'],
  ['less than an hour before', '2026-12-01T17:01:00Z', 'UTC', '2026-12-02T18:00:00.000Z'],
  ['a Friday evening', '2026-12-04T19:00:00Z', 'UTC', '2026-12-07T18:00:00.000Z'],
  ['a Saturday', '2026-12-05T08:00:00Z', 'UTC', '2026-12-07T18:00:00.000Z'],
  ['still Friday there', '2026-12-05T01:00:00Z', 'America/Los_Angeles', '2026-12-05T02:00:00.000Z'],
  ['already Monday there', '2026-12-06T23:30:00Z', 'Asia/Tokyo', '2026-12-07T09:00:00.000Z'],
  ['over the end of the year', '2027-12-31T20:00:00Z', 'UTC', '2028-01-03T18:00:00.000Z'],
  ['over a change to summer time', '2026-03-27T18:00:00Z', 'Europe/Berlin', '2026-03-30T16:00:00.000Z'],
])('18:00 of the next working day: %s', (_, now, zone, expected) => {
  expect(nextWorkday('18:00', new Date(now), zone)).toBe(expected);
});
