import type { Plan } from '../../src/cluster/plan.ts';
import { policyFor } from '../../src/config/approvals.ts';
import { SparkopsFile } from '../../src/config/sparkops-file.ts';
import type { Gate } from '../../src/jobs/approval/gate.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';

/** The record of a deploy that has just begun. */
export function recordOf(plan: Plan, number: number): Deployment {
  return {
    schema: 1,
    number,
    uid: plan.uid,
    cluster: plan.cluster,
    recipe: plan.recipe,
    run: 'deploy',
    by: { team: 'T1', user: 'U0OPERATOR' },
    state: 'running',
    phases: plan.phases.map((name) => ({ name, state: 'waiting', attempts: 0 })),
    plan,
    revision: 'abcd1234',
    sparkopsVersion: '0.1.0',
    stalls: 0,
    createdAt: new Date().toISOString(),
  };
}

const NOTHING_SET = SparkopsFile.parse({ name: 'lab' });

/** Nothing is protected, nobody holds anything, and nobody can be asked. */
export function openGate(): Gate {
  return {
    now: () => new Date(),
    policy: () => Promise.resolve(policyFor(NOTHING_SET, { action: 'deploy', cluster: 'spark' })),
    interrupted: () => Promise.resolve([]),
    downMs: () => Promise.resolve(undefined),
    ask: () => Promise.reject(new Error('somebody would be asked')),
    pass: () => Promise.resolve(undefined),
    replaced: () => Promise.resolve(),
  };
}
