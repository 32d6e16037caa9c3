import { OperatorError } from '../errors.ts';
import { saidBack } from './said-back.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 90 * 86_400_000;

/** "5m", "2h", "7d" -> milliseconds; undefined for anything else. */
export function readAge(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})\s*(s|m|h|d|min)$/i.exec(text) ?? [];
  const size = UNITS[unit.toLowerCase() === 'min' ? 'm' : unit.toLowerCase()];
  return count === undefined || size === undefined ? undefined : Number(count) * size;
}

/** "18:00" (the next one), "2h", "2026-12-02" (its end) or "2026-12-02 18:00" in the speaker's zone, as ISO 8601 UTC. */
export function readUntil(text: string, now: Date, zone: string): string {
  const at = instant(text.trim(), now, zone);
  if (at === undefined) {
    throw new OperatorError('usage', `I don't understand the time "${saidBack(text)}".`, {
      hint: 'Type until 18:00, until 2h, or until 2026-12-02.',
    });
  }
  if (at <= now.getTime() || at > now.getTime() + LONGEST_MS) {
    throw new OperatorError('usage', `"${saidBack(text)}" is not within the next 90 days.`, {
      hint: 'Type until 18:00, until 2h, or until 2026-12-02.',
    });
  }
  return new Date(at).toISOString();
}

/** When it is next `clock` ("18:00") on a working day, Monday to Friday in the zone, in an hour or later. ISO 8601 UTC. */
export function nextWorkday(clock: string, now: Date, zone: string): string {
  const today = partsOf(now.getTime(), zone);
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  for (let days = 0; ; days++) {
    const day = today.day + days;
    const weekday = new Date(Date.UTC(today.year, today.month - 1, day)).getUTCDay();
    const at = inZone({ ...today, day, hour, minute }, zone);
    if (weekday !== SUNDAY && weekday !== SATURDAY && at >= now.getTime() + SHORTEST_HOLD_MS)
      return new Date(at).toISOString();
  }
}

const SUNDAY = 0;
const SATURDAY = 6;
const SHORTEST_HOLD_MS = 3_600_000;

function instant(text: string, now: Date, zone: string): number | undefined {
  const age = readAge(text);
  if (age !== undefined) return now.getTime() + age;
  const today = partsOf(now.getTime(), zone);
  const clock = /^([01]?\d|2[0-3])[:.]([0-5]\d)$/.exec(text);
  if (clock) {
    const time = { hour: Number(clock[1]), minute: Number(clock[2]) };
    const at = inZone({ ...today, ...time }, zone);
    return at > now.getTime() ? at : inZone({ ...today, day: today.day + 1, ...time }, zone);
  }
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d))?$/.exec(text);
  if (!date) return undefined;
  const [year, month, day] = date.slice(1, 4).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const time =
    date[4] === undefined ? { hour: 23, minute: 59 } : { hour: Number(date[4]), minute: Number(date[5] ?? 0) };
  return inZone({ year, month, day, ...time }, zone);
}

interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** The instant at which the zone's clocks show it. */
function inZone(wall: Wall, zone: string): number {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
  // Twice: the first guess may lie on the other side of a change to summer time.
  const first = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(first, zone);
}

function offsetAt(at: number, zone: string): number {
  const { year, month, day, hour, minute } = partsOf(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / 60_000) * 60_000;
}

function partsOf(at: number, zone: string): Wall {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') };
}
