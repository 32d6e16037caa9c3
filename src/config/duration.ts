import { z } from 'zod';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Text such as "10s", "45m", "180d", "1500ms" -> milliseconds. */
export const Duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a number with a unit: 500ms, 30s, 45m, 2h or 7d')
  .transform((text) => {
    const unit = text.replace(/^\d+/, '') as keyof typeof UNITS;
    return Number.parseInt(text, 10) * UNITS[unit];
  });
