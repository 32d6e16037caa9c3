// vLLM's record head, and Docker's and Ray's ISO times. A container has no zone of its own: both are UTC.
const VLLM = /\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\b/;
const ISO = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)/;
const DAY_MS = 24 * 3_600_000;

export interface Picking {
  /** Lines that hold this text; case doesn't count. */
  grep?: string;
  /** Lines from the last so many milliseconds. One without a time belongs to the last that has one. */
  sinceMs?: number;
  now: Date;
}

/** The lines that were asked for. Text is compared as it stands: there are no patterns. */
export function pickLines(lines: readonly string[], { grep, sinceMs, now }: Picking): readonly string[] {
  const young = sinceMs === undefined ? lines : lines.slice(firstSince(lines, now.getTime() - sinceMs, now));
  if (grep === undefined) return young;
  const wanted = grep.toLowerCase();
  return young.filter((line) => line.toLowerCase().includes(wanted));
}

/** Of the last line that has a time. */
export function lastTime(lines: readonly string[], now: Date): Date | undefined {
  for (const line of lines.toReversed()) {
    const at = timeIn(line, now);
    if (at !== undefined) return new Date(at);
  }
  return undefined;
}

function firstSince(lines: readonly string[], since: number, now: Date): number {
  let first = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    const time = timeIn(lines[at] ?? '', now);
    if (time === undefined) continue;
    if (time < since) break;
    first = at;
  }
  return first;
}

function timeIn(line: string, now: Date): number | undefined {
  const head = line.slice(0, 200);
  const iso = ISO.exec(head);
  if (iso) return valid(Date.parse(`${iso[1] ?? ''}T${iso[2] ?? ''}Z`));
  const [, month, day, hours, minutes, seconds] = VLLM.exec(head) ?? [];
  if (month === undefined) return undefined;
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  const time = Date.UTC(now.getUTCFullYear(), Number(month) - 1, Number(day), h, m, s);
  // No year stands there: in January a line of December is of the last one.
  if (time > now.getTime() + DAY_MS) return Date.UTC(now.getUTCFullYear() - 1, Number(month) - 1, Number(day), h, m, s);
  return valid(time);
}

function valid(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
