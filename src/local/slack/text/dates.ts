import type { Reader } from './reader.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Fills Slack's date placeholders, such as `{date_short_pretty} at {time}`, in the reader's zone. Others stay as they are. */
export function formatDate(seconds: number, format: string, reader: Reader): string {
  const date = new Date(seconds * 1000);
  return format.replace(/\{(\w+)\}/g, (whole, name: string) => placeholder(name, date, reader) ?? whole);
}

function placeholder(name: string, date: Date, reader: Reader): string | undefined {
  const show = (options: Intl.DateTimeFormatOptions): string => shown(date, options, reader);
  switch (name) {
    case 'date_num':
      return isoDay(date.getTime(), reader);
    case 'date_slash':
      return isoDay(date.getTime(), reader).replaceAll('-', '/');
    case 'date':
      return show({ day: 'numeric', month: 'long', year: 'numeric' });
    case 'date_short':
      return show({ day: 'numeric', month: 'short', year: 'numeric' });
    case 'date_long':
      return show({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
    case 'date_pretty':
      return nearDay(date, reader) ?? show({ day: 'numeric', month: 'long' });
    case 'date_short_pretty':
      return nearDay(date, reader) ?? show({ day: 'numeric', month: 'short' });
    case 'date_long_pretty':
      return nearDay(date, reader) ?? show({ weekday: 'long', day: 'numeric', month: 'long' });
    case 'time':
      return show({ hour: '2-digit', minute: '2-digit' });
    case 'time_secs':
      return show({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
    case 'ago':
      return ago(reader.now() - date.getTime());
    default:
      return undefined;
  }
}

function shown(date: Date, options: Intl.DateTimeFormatOptions, { timeZone }: Reader): string {
  const zoned = timeZone === undefined ? options : { ...options, timeZone };
  return new Intl.DateTimeFormat('en-GB', { ...zoned, hourCycle: 'h23' }).format(date);
}

function nearDay(date: Date, reader: Reader): string | undefined {
  const day = isoDay(date.getTime(), reader);
  if (day === isoDay(reader.now(), reader)) return 'today';
  if (day === isoDay(reader.now() - DAY, reader)) return 'yesterday';
  return day === isoDay(reader.now() + DAY, reader) ? 'tomorrow' : undefined;
}

function isoDay(milliseconds: number, { timeZone }: Reader): string {
  // The Swedish way to write a date is ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', timeZone === undefined ? {} : { timeZone }).format(new Date(milliseconds));
}

function ago(milliseconds: number): string {
  const [size, unit] = largestUnit(Math.abs(milliseconds));
  const words = `${size} ${unit}${size === 1 ? '' : 's'}`;
  return milliseconds < 0 ? `in ${words}` : `${words} ago`;
}

function largestUnit(milliseconds: number): [number, string] {
  if (milliseconds >= DAY) return [Math.round(milliseconds / DAY), 'day'];
  if (milliseconds >= HOUR) return [Math.round(milliseconds / HOUR), 'hour'];
  if (milliseconds >= MINUTE) return [Math.round(milliseconds / MINUTE), 'minute'];
  return [Math.round(milliseconds / 1000), 'second'];
}
