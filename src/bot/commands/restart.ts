import type { Jobs } from '../../jobs/jobs.ts';
import type { ChatCommand } from '../command.ts';
import type { Places } from '../places.ts';
import { againCommand } from './again.ts';

export function restartCommand(
  jobs: Pick<Jobs, 'restart' | 'clusters' | 'overview'>,
  places: Places,
  now: () => Date,
): ChatCommand {
  const what = {
    name: 'restart' as const,
    summary: 'The same plan again, of what serves or served last',
    approval: 'unless it is down or wedged',
    not: 'Not restarted',
    doing: 'Restarting',
    start: jobs.restart,
  };
  return againCommand(jobs, what, { places, now });
}
