import type { Deployment } from '../../jobs/deployment.ts';
import type { DeploymentEvent } from '../../jobs/events.ts';
import { decidedBy, decisionLines, decisionWord, wish } from './approval-words.ts';
import { plainAnswer } from './answers.ts';
import type { Message } from './message.ts';
import { person, said } from './mrkdwn.ts';

type Decided = DeploymentEvent & { kind: 'approval-decided' };

/**
 * A decision that everybody must hear of, beside the request that shows it: one that was made alone, with those who were
 * skipped (`deciders`, as mentions), and a cancel that comes to nothing. Undefined: the request and the end tell it.
 */
export function decisionReply(
  record: Deployment,
  { id, decision }: Decided,
  deciders: readonly string[],
): Message | undefined {
  const { approval, cluster, number } = record;
  if (approval?.id !== id) return undefined;
  const asked = wish(record, approval, person(approval.by.user));
  if (decision.kind === 'approved') {
    if (!decision.glass) return undefined;
    const skipped = deciders.filter((each) => !decidedBy(decision).includes(each)).map((each) => ` ${each}`);
    return plainAnswer([
      `${cluster} BREAK GLASS: ${asked}, approved${decidedBy(decision)} alone.${skipped.join('')}`,
      `Reason: "${said(decision.glass.reason, 300)}"`,
      'You were not waited for. It is in the audit.',
    ]);
  }
  // What is over by itself has an end that says so.
  if (approval.action !== 'cancel' || (decision.kind === 'void' && !decision.by)) return undefined;
  return plainAnswer([
    `${cluster}: #${number} is not cancelled, ${decisionWord(decision)}${decidedBy(decision)}. ${person(approval.by.user)}`,
    ...decisionLines({ ...approval, decision }),
    'It goes on.',
  ]);
}
