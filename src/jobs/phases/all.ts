import type { PhaseName } from '../../cluster/plan.ts';
import { approval } from './approval.ts';
import { load } from './load.ts';
import type { Phase } from './phase.ts';
import { preflight } from './preflight.ts';
import { serve } from './serve.ts';
import { smoke } from './smoke.ts';
import { startHead } from './start-head.ts';
import { startWorkers } from './start-workers.ts';
import { stopPrevious } from './stop-previous.ts';
import { stop } from './stop.ts';
import { stopForeign } from './stop-foreign.ts';
import { verifyRay } from './verify-ray.ts';

/** Every phase by its name; a plan says which, and in which order. */
export const PHASES: Record<PhaseName, Phase> = {
  preflight,
  approval,
  'stop-previous': stopPrevious,
  'start-head': startHead,
  'start-workers': startWorkers,
  'verify-ray': verifyRay,
  serve,
  load,
  smoke,
  stop,
  'stop-foreign': stopForeign,
};
