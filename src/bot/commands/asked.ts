import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { Approval } from '../../jobs/approval/approval.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { wish } from '../cards/approval-words.ts';
import { person } from '../cards/mrkdwn.ts';
import type { Caller } from '../command.ts';
import { NotAmong } from '../not-among.ts';

/** Of the requests of a deployment the one that a button shows. */
export const RequestId = z
  .string()
  .regex(/^\d{1,4}$/, 'request is a number.')
  .transform(Number);

export const Why = z.string().max(300, 'A reason has at most 300 characters.');

export interface Asked {
  record: Deployment;
  approval: Approval;
  /** "stop qwen35 for @Maya's glm47" */
  what: string;
}

/** The latest request for approval of a deployment. Throws 'unknown-name', or 'conflict' when nobody has asked. */
export async function askedOf(jobs: Pick<Jobs, 'findByNumber'>, number: number): Promise<Asked> {
  const record = await jobs.findByNumber(number);
  if (!record) {
    throw new OperatorError('unknown-name', `There is no deployment #${number}.`, { hint: 'history shows them.' });
  }
  const { approval } = record;
  if (approval) return { record, approval, what: wish(record, approval, person(approval.by.user)) };
  throw new OperatorError('conflict', `Nobody asked for approval of #${number}.`, {
    hint: 'status shows what waits for one.',
  });
}

/** Throws for who is none of those who decide. */
export async function mustDecide({ record, approval }: Asked, { isAmong }: Pick<Caller, 'isAmong'>): Promise<void> {
  const { from } = approval.terms;
  if (await isAmong(from)) return;
  throw new NotAmong(`Only those who decide may say that of #${record.number}.`, from);
}
