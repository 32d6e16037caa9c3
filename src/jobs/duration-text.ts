/** Milliseconds for people: "12 ms", "1.5 s", "45 min". */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  if (ms < 7_200_000) return `${Number((ms / 60_000).toFixed(1))} min`;
  return `${Number((ms / 3_600_000).toFixed(1))} h`;
}
