import { decideClaim } from '../../../../src/jobs/decisions/decide-claim.ts';
import {
  decideChange,
  decideHigher,
  decideRelease,
  decideRenewal,
  decideTaking,
  decideWrite,
} from '../../../../src/jobs/decisions/decide-lease.ts';
import { abortSteps, decideAfterStop, decideStart } from '../../../../src/jobs/decisions/decide-stop.ts';
import { answerRaise, guardLets } from '../../../../src/jobs/decisions/node-fence.ts';

/** Every decision that keeps two processes apart: the product's own, and the twins of what its programs decide on a node. */
export const GUARDS = {
  decideClaim,
  decideTaking,
  decideRenewal,
  decideHigher,
  decideRelease,
  decideWrite,
  decideChange,
  decideAfterStop,
  decideStart,
  abortSteps,
  answerRaise,
  guardLets,
  /** flock: whatever runs on a node keeps the next one waiting. */
  lockIsFree: (running: number): boolean => running === 0,
};

export type Guards = typeof GUARDS;
