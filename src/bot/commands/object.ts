import { OperatorError } from '../../errors.ts';
import { isSame } from '../../jobs/deployment.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Caller, ChatCommand } from '../command.ts';
import type { Asked } from './asked.ts';
import { sayNo } from './say-no.ts';

export function objectCommand(jobs: Pick<Jobs, 'decide' | 'findByNumber'>): ChatCommand {
  return sayNo(jobs, {
    name: 'object',
    summary: 'Keep your model from being interrupted, also after the approval, until it begins',
    people: 'the owner of what would be interrupted',
    not: 'Not objected',
    may: mustOwn,
    say: (why) => ({ kind: 'object', why }),
    done: 'You objected to',
  });
}

async function mustOwn({ approval }: Asked, { asker }: Pick<Caller, 'asker'>): Promise<void> {
  const { interrupts } = approval.facts;
  if (interrupts.some(({ owner }) => owner && isSame(owner, asker))) return;
  throw new OperatorError('forbidden', 'Only the owner of what would be stopped may object.', {
    hint: 'Who decides may deny it instead.',
  });
}
