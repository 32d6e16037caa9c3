import type { Jobs } from '../../jobs/jobs.ts';
import type { ChatCommand } from '../command.ts';
import type { Places } from '../places.ts';
import { againCommand } from './again.ts';

export function rollbackCommand(
  jobs: Pick<Jobs, 'rollback' | 'clusters' | 'overview'>,
  places: Places,
  now: () => Date,
): ChatCommand {
  const what = {
    name: 'rollback' as const,
    summary: 'Bring back what served before, its image by digest; or the deployment with that number',
    approval: 'if a model serves',
    not: 'Not brought back',
    doing: 'Bringing back',
    start: jobs.rollback,
  };
  return againCommand(jobs, what, { places, now });
}
