import type { Jobs } from '../../jobs/jobs.ts';
import type { ChatCommand } from '../command.ts';
import { mustDecide } from './asked.ts';
import { sayNo } from './say-no.ts';

export function denyCommand(jobs: Pick<Jobs, 'decide' | 'findByNumber'>): ChatCommand {
  return sayNo(jobs, {
    name: 'deny',
    summary: 'Say no to what would interrupt a model, and why',
    people: 'who decides (approvals.from)',
    not: 'Not denied',
    may: mustDecide,
    say: (why) => ({ kind: 'deny', why }),
    done: 'Denied',
  });
}
