import type { Cause, Deployment, PhaseName } from '../../jobs/deployment.ts';
import { named, sentence } from '../../jobs/sentence.ts';
import { decisionLines } from './approval-words.ts';
import { endByPeople, goesOn, keptBack } from './end-by-people.ts';
import { clockTime, person, said } from './mrkdwn.ts';
import { phaseWord } from './phases.ts';
import { subject } from './subject.ts';
import { between, duration } from './time.ts';

/** Once one of these has begun, there may be something to remove. */
const STARTED: readonly PhaseName[] = ['start-head', 'start-workers', 'verify-ray', 'serve', 'load', 'smoke'];
/** Phases whose undo removes what the run started: what runs in the containers goes with them. */
const REMOVED: readonly PhaseName[] = ['start-head', 'start-workers'];

/** Cluster first, then the state as one word: what a lock screen shows. */
export function title(record: Deployment): string {
  const { cluster, recipe, number } = record;
  const what = `${subject(record)} (#${number})`;
  if (record.run !== 'deploy') return `${cluster} ${stopWord(record)}: ${what}`;
  switch (record.state) {
    case 'queued':
      return `${cluster} QUEUED: ${what}`;
    case 'waiting-approval':
      return `${cluster} WAITING: ${what}, for approval`;
    case 'running':
      return `${cluster} ${doing(record)}: ${what}${pastReturn(record) ? ', past the point of no return' : ''}`;
    case 'aborting':
      return `${cluster} ${record.aborting?.to === 'cancelled' ? 'CANCELLING' : 'FAILING'}: ${what}`;
    case 'serving':
      return `${cluster} UP: ${recipe}${rate(record)} (#${number})`;
    case 'failed':
      return `${cluster} FAILED: ${recipe}${record.phase ? ` at ${phaseWord(record.phase)}` : ''} (#${number})`;
    case 'cancelled':
      return `${cluster} CANCELLED: ${what}`;
    case 'denied':
    case 'expired':
    case 'void':
      return `${cluster} ${record.state.toUpperCase()}: ${what}, nothing was changed`;
    case 'stopped':
      return `${cluster} STOPPED: ${what}`;
    case 'replaced':
      return `${cluster} REPLACED: ${what}, ${successor(record)}`;
    case 'died':
      return `${cluster} DIED: ${what} serves no more`;
  }
}

/** "by #143" */
export function successor({ replacedBy }: Deployment): string {
  return replacedBy === undefined ? 'another model serves' : `by #${replacedBy}`;
}

function doing({ action }: Deployment): string {
  if (action === 'restart') return 'RESTARTING';
  return action === 'rollback' ? 'ROLLBACK' : 'DEPLOYING';
}

/** What became of it, in lines of mrkdwn; none while it goes well. */
export function outcome(record: Deployment): readonly string[] {
  if (keptBack(record) !== undefined) return (endByPeople(record, '') ?? []).slice(1);
  switch (record.state) {
    case 'queued':
    case 'running':
      return [...stopNowLines(record), ...cancelLines(record)];
    case 'waiting-approval':
      return [...waitingLines(record), ...cancelLines(record)];
    case 'aborting':
      return [...causeLines(record), ...(hasBegun(record, STARTED) ? ['Removing what was started.'] : [])];
    case 'serving':
      return record.run === 'stop' ? [...causeLines(record), ...nextLines(record)] : servingLines(record);
    case 'failed':
    case 'died':
      return [...causeLines(record), ...nextLines(record), ...leftLines(record)];
    case 'cancelled':
      return leftLines(record);
    case 'denied':
    case 'expired':
    case 'void':
    case 'stopped':
    case 'replaced':
      return [];
  }
}

/** The request itself is a message of its own. */
function waitingLines({ approval }: Deployment): readonly string[] {
  if (!approval) return [];
  if (approval.decision) return decisionLines(approval);
  const { votes, terms, until } = approval;
  const agreed = terms.required > 1 ? ` ${votes.length} of ${terms.required} agreed.` : '';
  return [`Waits for approval, ends ${clockTime(until)}.${agreed}`];
}

function cancelLines({ approval, cancelAsked }: Deployment): readonly string[] {
  if (cancelAsked) return [`${person(cancelAsked.by.user)} asked to cancel.`];
  if (approval?.action !== 'cancel') return [];
  if (approval.decision) return [`Cancel: ${decisionLines(approval).join(' ')}`];
  return [`${person(approval.by.user)} asked to cancel; that waits for approval, ends ${clockTime(approval.until)}.`];
}

function stopNowLines({ stopNow }: Deployment): readonly string[] {
  return stopNow ? [`${person(stopNow.by.user)} said to stop now: running requests are cut off.`] : [];
}

export function servingLines(record: Deployment): readonly string[] {
  const { endpoint = record.plan.endpoint, plan, smoke } = record;
  const address = `${said(endpoint, 200)}/v1, model ${said(plan.servedName, 120)}`;
  if (!smoke) return [address];
  return [
    address,
    `First token ${duration(smoke.ttftMs)}, ${Math.round(smoke.tokensPerSecond)} tok/s. I asked a question and the answer was right.`,
  ];
}

export function causeLines({ cause }: Deployment): readonly string[] {
  return cause ? [`Cause: ${causeText(cause)}`] : [];
}

/** One sentence of mrkdwn that names the node. */
export function causeText({ node, text }: Cause): string {
  return said(sentence(named(node, text)));
}

export function nextLines({ remedy }: Deployment): readonly string[] {
  return remedy === undefined || remedy === '' ? [] : [`Next: ${said(remedy)}`];
}

/** What stands on the nodes after an attempt that didn't work out. */
export function leftLines(record: Deployment): readonly string[] {
  if (record.state === 'died') return [`Nothing of #${record.number} serves on ${record.cluster}. Its logs are kept.`];
  const left = leftBehind(record);
  if (left === 'untouched') return ['Nothing was changed.', ...goesOn(record)];
  if (left === 'unstarted') return ['Nothing was started.'];
  if (left === 'overtaken') return [`Nothing was removed: what is on ${record.cluster} came after it.`];
  if (left === 'cleaned') return [`Cleaned up, logs kept. Nothing serves on ${record.cluster}.`];
  return [`Not everything could be removed (${left.join(', ')}). /spark status shows what is left.`];
}

/** Names of the phases whose effect still stands; or that none does, that nothing was started or even changed, or that a newer attempt has acted since. */
export function leftBehind(
  record: Deployment,
): 'untouched' | 'unstarted' | 'cleaned' | 'overtaken' | readonly string[] {
  if (record.state === 'failed' && record.replacedBy !== undefined) return 'overtaken';
  if (!hasBegun(record, STARTED)) return pastReturn(record) ? 'unstarted' : 'untouched';
  const standing = record.phases.filter(
    ({ name, state }) => REMOVED.includes(name) && (state === 'done' || state === 'failed'),
  );
  return standing.length === 0 ? 'cleaned' : standing.map((phase) => phaseWord(phase.name));
}

/** Whether a run that ends in this phase may have started something. */
export function mayHaveStarted(phase: PhaseName): boolean {
  return STARTED.includes(phase);
}

function pastReturn(record: Deployment): boolean {
  return record.pastReturnAt !== undefined || hasBegun(record, ['stop-previous']);
}

/** "16 min", of the current run. */
export function took(record: Deployment): string | undefined {
  const from = record.run !== 'deploy' ? record.phases.find((phase) => phase.startedAt)?.startedAt : record.createdAt;
  const ms = between(from, record.endedAt);
  return ms === undefined ? undefined : duration(ms);
}

export function rate({ smoke }: Deployment): string {
  return smoke ? `, ${Math.round(smoke.tokensPerSecond)} tok/s` : '';
}

function hasBegun(record: Deployment, names: readonly PhaseName[]): boolean {
  return record.phases.some((phase) => names.includes(phase.name) && phase.state !== 'waiting');
}

function stopWord({ state }: Deployment): string {
  switch (state) {
    case 'queued':
    case 'running':
      return 'STOPPING';
    case 'waiting-approval':
      return 'STOP WAITS for approval';
    case 'aborting':
    case 'serving':
    case 'failed':
    case 'cancelled':
      return 'NOT STOPPED';
    case 'denied':
    case 'expired':
    case 'void':
      return `NOT STOPPED, ${state.toUpperCase()}`;
    case 'stopped':
      return 'STOPPED';
    case 'replaced':
      return 'REPLACED';
    case 'died':
      return 'DIED';
  }
}
