import type { Admission } from './claim.ts';
import type { Action, Deployment, Forced, Person } from './deployment.ts';
import { downtimeOf } from './downtime.ts';
import type { Asker } from './jobs.ts';

/** The record of an attempt that was just admitted. */
export function newRecord(admission: Admission, number: number, at: Date): Deployment {
  const { plan } = admission;
  const by = person(admission.by);
  return {
    // These two stand first in the nodes' files as well, where a shell script reads the number.
    schema: 1,
    number,
    uid: plan.uid,
    cluster: plan.cluster,
    recipe: plan.recipe,
    run: admission.action === 'stop-foreign' ? 'stop-foreign' : 'deploy',
    action: admission.action,
    by,
    owner: admission.owner ?? by,
    ...(admission.until !== undefined && { until: admission.until }),
    ...(admission.note !== undefined && { note: admission.note }),
    ...(admission.forced && { forced: admission.forced }),
    ...(admission.foreign && { foreign: admission.foreign }),
    state: 'queued',
    phases: plan.phases.map((name) => ({ name, state: 'waiting', attempts: 0 })),
    plan,
    revision: admission.revision,
    sparkopsVersion: admission.sparkopsVersion,
    stalls: 0,
    createdAt: at.toISOString(),
  };
}

/** What an earlier run left is history: it stands in the events. */
const LEFT_BEHIND = [
  'phase',
  'cause',
  'remedy',
  'progress',
  'aborting',
  'cancelAsked',
  'endedAt',
  'approval',
  'found',
  'checks',
  'replaces',
  'pastReturnAt',
  'drainUntil',
  'stopNow',
] as const;

export interface StopRequest {
  action: Extract<Action, 'stop'>;
  forced?: Forced;
}

/** The record of a deployment that serves, at the start of a run that stops it. */
export function stopRecord(record: Deployment, { action, forced }: StopRequest, by: Asker): Deployment {
  const next: Deployment = {
    ...record,
    run: 'stop',
    action,
    state: 'queued',
    stalls: 0,
    stallsSeen: 0,
    phases: [
      { name: 'approval', state: 'waiting', attempts: 0 },
      { name: 'stop', state: 'waiting', attempts: 0 },
    ],
  };
  for (const key of LEFT_BEHIND) delete next[key];
  const downMs = downtimeOf(record);
  return { ...next, stopBy: person(by), ...(forced && { forced }), ...(downMs !== undefined && { downMs }) };
}

export function person({ team, user }: Asker): Person {
  return { team, user };
}
