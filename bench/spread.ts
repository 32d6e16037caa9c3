/** The value below which this share of all lies; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
