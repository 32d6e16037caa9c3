import type { Deployment, Forcible } from '../../jobs/deployment.ts';
import type { DeploymentEvent } from '../../jobs/events.ts';
import { plainAnswer } from './answers.ts';
import { joined } from './approval-words.ts';
import type { Message } from './message.ts';
import { person, said } from './mrkdwn.ts';

const PASSED: Readonly<Record<Forcible, string>> = {
  hold: 'holds',
  checks: 'failed checks',
  foreign: 'what others run there',
};

/** Told to everybody when an admin passes a guard: who, what and why. */
export function forcedReply(
  { cluster, recipe, number }: Deployment,
  { action, forced }: DeploymentEvent & { kind: 'forced' },
): Message {
  const passed = joined(forced.what.map((what) => PASSED[what]));
  return plainAnswer([
    `${cluster} FORCED: ${action} of ${said(recipe, 60)} (#${number}) passes ${passed}, by ${person(forced.by.user)}.`,
    `Reason: "${said(forced.reason, 300)}"`,
    'It is in the audit.',
  ]);
}
