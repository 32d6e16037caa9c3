import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { HoldRequest } from '../../jobs/hold-rules.ts';
import { nextWorkday, readAge, readUntil } from '../when.ts';

export const Reason = z.string().max(200, 'A reason has at most 200 characters.');

/** "2h" -> milliseconds. */
export const Span = z.string().transform((text, context) => {
  const span = readAge(text);
  if (span !== undefined && span > 0) return span;
  context.addIssue({ code: 'custom', message: 'for and extend take a time such as 30m, 2h or 1d.' });
  return z.NEVER;
});

interface EndWords {
  until?: string | undefined;
  for?: number | undefined;
  extend?: number | undefined;
}

/** When it is to end, in the speaker's zone. `endsAt`: "18:00". */
export function endOf(
  words: EndWords,
  { endsAt, now, zone }: { endsAt: string; now: Date; zone: string },
): Pick<HoldRequest, 'until' | 'extendMs' | 'byDefault'> {
  const { until, for: span, extend } = words;
  if ([until, span, extend].filter((word) => word !== undefined).length > 1) {
    throw new OperatorError('usage', 'Say its end once: until, for or extend.', { hint: 'For example: until 18:00' });
  }
  const byDefault = nextWorkday(endsAt, now, zone);
  if (until !== undefined) return { byDefault, until: readUntil(until, now, zone) };
  if (span !== undefined) return { byDefault, until: new Date(now.getTime() + span).toISOString() };
  return extend === undefined ? { byDefault } : { byDefault, extendMs: extend };
}
