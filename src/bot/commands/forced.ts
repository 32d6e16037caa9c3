import { z } from 'zod';
import { includes } from '../../config/rights.ts';
import { OperatorError } from '../../errors.ts';
import type { Forced, Forcible } from '../../jobs/deployment.ts';
import type { Caller } from '../command.ts';
import { NotAmong } from '../not-among.ts';
import { Why } from './asked.ts';

const NAMES: readonly Forcible[] = ['hold', 'checks', 'foreign'];

/** The fields of a command that can be forced; its words are FORCE_WORDS, its tail is the reason. */
export const forceFields = {
  force: z
    .string()
    .transform((text, context) => {
      const names = text.toLowerCase().split(/[,+]/).filter(Boolean);
      const what = NAMES.filter((name) => names.includes(name));
      if (what.length > 0 && names.every((name) => what.some((each) => each === name))) return what;
      context.addIssue({ code: 'custom', message: 'force takes hold, checks or foreign; several as hold,checks.' });
      return z.NEVER;
    })
    .optional(),
  reason: Why.optional(),
};

export const FORCE_WORDS = { force: 'force', reason: 'reason' } as const;

/** What the asker forces, and why. Throws for who is no admin, and without a reason. */
export function forcedBy(
  { force, reason }: { force?: Forced['what'] | undefined; reason?: string | undefined },
  { right }: Pick<Caller, 'right'>,
): { forced?: Pick<Forced, 'what' | 'reason'> } {
  if (force === undefined) {
    if (reason === undefined) return {};
    throw new OperatorError('usage', 'reason says why something is forced, and nothing is.', {
      hint: 'What it is for is a note: note "eval run".',
    });
  }
  if (!includes(right, 'admin')) throw new NotAmong('Only admins may force something.', ['admin']);
  if (reason !== undefined) return { forced: { what: force, reason } };
  throw new OperatorError('usage', 'Why? It is told to the channel.', { hint: 'End with reason: and why.' });
}
