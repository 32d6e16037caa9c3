const MARGIN_MS = 2_000;

/** When to say what was seen, rather than let the phase's limit cut it off. */
export function beforeLimit({ limitMs }: { limitMs: number }): number {
  return limitMs - Math.min(MARGIN_MS, limitMs / 5);
}
