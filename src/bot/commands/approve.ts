import { z } from 'zod';
import { OperatorError } from '../../errors.ts';
import type { Approval, Say } from '../../jobs/approval/approval.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { plainAnswer } from '../cards/answers.ts';
import { dayTime } from '../cards/mrkdwn.ts';
import { defineCommand, type Caller, type ChatCommand } from '../command.ts';
import { NotAmong } from '../not-among.ts';
import { askedOf, mustDecide, RequestId, Why, type Asked } from './asked.ts';
import { DeploymentNumber } from './number.ts';

const GLASS = 'break-glass';

/** Who decides is named in the request's terms: everybody may type it. */
export function approveCommand(jobs: Pick<Jobs, 'decide' | 'findByNumber'>): ChatCommand {
  return defineCommand({
    name: 'approve',
    summary: 'Agree to what interrupts a model; idle waits until no request runs, break-glass decides alone',
    right: 'viewer',
    people: 'who decides (approvals.from); break-glass: approvals.break_glass',
    changes: true,
    not: 'Not approved',
    input: z.object({
      number: DeploymentNumber,
      request: RequestId.optional(),
      idle: z.string().optional(),
      [GLASS]: z.string().optional(),
      reason: Why.optional(),
    }),
    positional: ['number'],
    words: { request: 'request', reason: 'reason' },
    flags: ['idle', GLASS],
    tail: 'reason',
    run: async ({ input, ...caller }) => {
      const { number, request } = input;
      const asked = await askedOf(jobs, number);
      const say: Say =
        input[GLASS] === undefined
          ? await agreement(asked, caller, input.idle !== undefined)
          : await brokenGlass(asked, caller, input.reason);
      const record = await jobs.decide({ number, id: request ?? asked.approval.id, say, by: caller.asker });
      return { message: plainAnswer(came(asked, record.approval ?? asked.approval)), about: record };
    },
  });
}

async function agreement(asked: Asked, caller: Pick<Caller, 'isAmong'>, idle: boolean): Promise<Say> {
  await mustDecide(asked, caller);
  return { kind: 'approve', when: idle ? 'idle' : 'now' };
}

async function brokenGlass(
  { record, approval }: Asked,
  { isAmong }: Pick<Caller, 'isAmong'>,
  reason: string | undefined,
): Promise<Say> {
  const { breakGlass, from } = approval.terms;
  const may = breakGlass ? [breakGlass.right, ...from] : from;
  if (!(await isAmong(may))) throw new NotAmong(`You may not decide #${record.number} alone.`, may);
  if (reason !== undefined) return { kind: 'break-glass', reason };
  throw new OperatorError('usage', 'Why? Those who are skipped are told.', {
    hint: `Type approve ${record.number} ${GLASS} reason: and why.`,
  });
}

function came({ record, what }: Asked, { votes, terms, decision }: Approval): readonly string[] {
  const about = `#${record.number}: ${what}`;
  if (decision?.kind !== 'approved') {
    return [`${votes.length} of ${terms.required} agreed to ${about}.`, 'Somebody else must agree too.'];
  }
  if (decision.glass) return [`Approved by you alone, ${about}.`, 'Those who were skipped are told.'];
  if (decision.when === 'now') return [`Approved, ${about}.`, 'Everything is looked at once more, then it begins.'];
  const latest = new Date(Date.parse(decision.at) + terms.idleMs).toISOString();
  return [`Approved when idle, ${about}.`, `Not at all after ${dayTime(latest)}.`];
}
