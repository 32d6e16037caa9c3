import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { Say } from '../../jobs/approval/approval.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { person } from '../cards/mrkdwn.ts';
import { reasonForm } from '../cards/reason-form.ts';
import { defineCommand, type Caller, type ChatCommand } from '../command.ts';
import { askedOf, RequestId, Why, type Asked } from './asked.ts';
import { DeploymentNumber } from './number.ts';

interface No {
  name: 'deny' | 'object';
  summary: string;
  people: string;
  not: string;
  /** Throws for who may not. */
  may: (asked: Asked, caller: Caller) => Promise<void>;
  say: (why: string) => Say;
  /** What the answer begins with. */
  done: string;
}

/** A "no" with its reason: without one a form asks for it. */
export function sayNo(jobs: Pick<Jobs, 'decide' | 'findByNumber'>, no: No): ChatCommand {
  const { name, may, say, done, ...about } = no;
  return defineCommand({
    ...about,
    name,
    right: 'viewer',
    changes: true,
    input: z.object({ number: DeploymentNumber, request: RequestId.optional(), reason: Why.optional() }),
    positional: ['number', 'reason'],
    words: { request: 'request', reason: 'reason' },
    tail: 'reason',
    run: async ({ input, ...caller }) => {
      const { number, reason } = input;
      const asked = await askedOf(jobs, number);
      await may(asked, { ...caller });
      const { record, approval, what } = asked;
      const id = input.request ?? approval.id;
      if (reason === undefined) return askWhy(no, asked, { id, caller });
      const next = await jobs.decide({ number, id, say: say(reason), by: caller.asker });
      const told = `${person(approval.by.user)} is told why.`;
      return { message: plainAnswer([`${done} #${record.number}: ${what}.`, told]), about: next };
    },
  });
}

function askWhy(
  { name, not }: No,
  { record, approval, what }: Asked,
  { id, caller }: { id: number; caller: Pick<Caller, 'canOpen' | 'channel'> },
) {
  const hint = `Type ${name} ${record.number} and the reason.`;
  if (approval.decision) {
    throw new OperatorError('conflict', `It is decided already: ${approval.decision.kind}.`, { hint });
  }
  if (!caller.canOpen) throw new OperatorError('usage', 'Why? Who asked reads it.', { hint });
  const form = reasonForm({
    title: `${name === 'deny' ? 'Deny' : 'Object to'} #${record.number}`,
    about: `${record.cluster}: ${what.replaceAll(/<@(\w+)>/g, 'somebody')}`,
    typed: `${name} ${record.number} request ${id}`,
    channel: caller.channel,
  });
  return { form, message: plainAnswer([`${not}: why? ${hint}`]) };
}
