import type { Runner } from '../../../src/jobs/runner.ts';
import type { DeployWorkerOptions } from '../../../src/jobs/worker.ts';
import { now, silent, type Bench } from './bench.ts';
import { literalConfig } from './config.ts';
import { fenceNodes } from './nodes.ts';
import type { Script } from './scripted.ts';

/** What runs of a test share; nothing serves, and the nodes only know fences. */
export function runnerParts(
  { store, journal, changes }: Bench,
  script: () => Script,
): DeployWorkerOptions['runner'] & Pick<Runner, 'transport'> {
  return {
    store,
    journal,
    config: async () => literalConfig(),
    look: async () => ({ kind: 'status', clusters: [] }),
    transport: async () => fenceNodes().transport,
    phasesOf: () => script().phases,
    secret: () => undefined,
    onChange: changes.on,
    now,
    log: silent,
  };
}

/** Short lives. */
export const TIMEOUTS = { lease: 1_500, job_lock: 1_500, stall_check: 300, approval_look: 200 };
