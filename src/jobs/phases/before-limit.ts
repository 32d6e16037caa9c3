const MARGIN_MS = 2_000;

/** Milliseconds from now until it is better to say what was seen than to be cut off by the phase's limit. */
export function beforeLimit({ limitMs }: { limitMs: number }): number {
  return limitMs - Math.min(MARGIN_MS, limitMs / 5);
}
