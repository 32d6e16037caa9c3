import type { Jobs } from '../../jobs/jobs.ts';
import type { ChatCommand } from '../command.ts';
import type { Places } from '../places.ts';
import { approveCommand } from './approve.ts';
import { benchCommand } from './bench.ts';
import { cancelCommand } from './cancel.ts';
import { checkCommand } from './check.ts';
import { clustersCommand } from './clusters.ts';
import { denyCommand } from './deny.ts';
import { deployCommand } from './deploy.ts';
import { diagnoseCommand } from './diagnose.ts';
import { extendCommand } from './extend.ts';
import { freezeCommand, unfreezeCommand } from './freeze.ts';
import { helpCommand } from './help.ts';
import { historyCommand } from './history.ts';
import { holdCommand } from './hold.ts';
import { logsCommand } from './logs.ts';
import { mineCommand } from './mine.ts';
import { objectCommand } from './object.ts';
import { planCommand } from './plan.ts';
import { recipesCommand } from './recipes.ts';
import { restartCommand } from './restart.ts';
import { retryCommand } from './retry.ts';
import { rollbackCommand } from './rollback.ts';
import { statusCommand } from './status.ts';
import { stopForeignCommand } from './stop-foreign.ts';
import { stopNowCommand } from './stop-now.ts';
import { stopCommand } from './stop.ts';
import { unlockCommand } from './unlock.ts';
import { withdrawCommand } from './withdraw.ts';

interface CommandParts {
  jobs: Jobs;
  places: Places;
  now: () => Date;
}

/** Everything that can be typed, in the order of help and of the README. */
export function allCommands({ jobs, places, now }: CommandParts): readonly ChatCommand[] {
  const commands = [
    deployCommand(jobs, places, now),
    retryCommand(jobs, places, now),
    restartCommand(jobs, places, now),
    rollbackCommand(jobs, places, now),
    stopCommand(jobs, places, now),
    stopNowCommand(jobs),
    cancelCommand(jobs),
    approveCommand(jobs),
    denyCommand(jobs),
    objectCommand(jobs),
    withdrawCommand(jobs),
    extendCommand(jobs, now),
    holdCommand(jobs, now),
    unlockCommand(jobs),
    statusCommand(jobs, now),
    mineCommand(jobs),
    stopForeignCommand(jobs, places),
    diagnoseCommand(jobs, now),
    logsCommand(jobs),
    checkCommand(jobs),
    planCommand(jobs),
    benchCommand(jobs),
    historyCommand(jobs, now),
    recipesCommand(jobs),
    clustersCommand(jobs),
    freezeCommand(jobs, now),
    unfreezeCommand(jobs),
  ];
  return [...commands, helpCommand(commands, jobs)];
}
