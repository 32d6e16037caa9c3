import { z } from 'zod';
import { REASON_FIELD } from './cards/reason-form.ts';
import { fieldOf, quoted, type FormValues } from './read-deploy-form.ts';

const Asked = z.object({ channel: z.string(), typed: z.string() });

/** What would be typed for it, and where it was asked. Throws for a form that is not ours. */
export function readReasonForm(metadata: string, values: FormValues): { channel: string; text: string } {
  const { channel, typed } = Asked.parse(JSON.parse(metadata));
  return { channel, text: `${typed} reason: ${quoted(fieldOf(values, REASON_FIELD))}` };
}
