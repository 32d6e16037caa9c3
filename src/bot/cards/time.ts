/** "12 ms", "0.4 s", "12 s", "1 min 20 s", "16 min", "2 h 5 min", "9 days". */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 300) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joined(hours, 'h', minutes % 60, 'min');
  return `${Math.floor(hours / 24)} days`;
}

export function between(from: string | undefined, to: string | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Date.parse(to) - Date.parse(from);
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
