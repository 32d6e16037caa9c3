import { isEnded, type Deployment } from '../../jobs/deployment.ts';
import type { ClusterBusy } from '../../jobs/refusal.ts';
import { SLASH } from '../grammar.ts';
import { plainAnswer } from './answers.ts';
import { cancelButton } from './deployment-card.ts';
import { actions, type Message } from './message.ts';
import { clockTime, person, said } from './mrkdwn.ts';
import { phaseName, progressText } from './phases.ts';

/** Whose the cluster is, since when in the reader's zone, and what to do. Only who asked sees it, so nobody is notified. */
export function busyAnswer({ what, cluster, holder }: ClusterBusy): Message {
  const whose = `${person(holder.by.user)}'s ${said(holder.recipe)} (#${holder.number})`;
  if (isEnded(holder.state)) {
    const since = holder.endedAt === undefined ? '' : `, since ${clockTime(holder.endedAt)}`;
    return plainAnswer([
      `${what}: ${cluster} serves ${whose}${since}.`,
      'Nothing was changed.',
      `Stop it first: \`${SLASH} stop ${cluster}\``,
    ]);
  }
  const cancellable = holder.run === 'deploy' && holder.state !== 'aborting';
  const next = cancellable
    ? `Wait until it ends, or cancel it: \`${SLASH} cancel ${holder.number}\``
    : 'Try again when it has ended.';
  const answer = plainAnswer([
    `${what}: ${cluster} is busy with ${whose}.`,
    `${doing(holder)}, since ${clockTime(begun(holder))}. Nothing was changed.`,
    next,
  ]);
  if (what !== 'Not unlocked' || !cancellable) return answer;
  return { ...answer, blocks: [...answer.blocks, actions([cancelButton(holder, `Cancel #${holder.number}`)])] };
}

function doing({ run, state, phase, progress, approval }: Deployment): string {
  if (state === 'waiting-approval') {
    return approval && !approval.decision
      ? `It waits for approval, which ends ${clockTime(approval.until)}`
      : 'It is approved, and waits until no request runs';
  }
  if (run === 'stop') return 'It is being stopped';
  if (state === 'aborting') return 'It is being removed';
  if (phase === undefined) return 'It waits for its start';
  return progress ? `${phaseName(phase)}, ${said(progressText(progress))}` : phaseName(phase);
}

function begun({ phases, phase, createdAt }: Deployment): string {
  return phases.find(({ name }) => name === phase)?.startedAt ?? createdAt;
}
