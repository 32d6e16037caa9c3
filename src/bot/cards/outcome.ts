import type { Deployment, PhaseName } from '../../jobs/deployment.ts';
import { person, said } from './mrkdwn.ts';
import { phaseName } from './phases.ts';
import { between, duration } from './time.ts';

/** Phases that change a node: once one of them has begun, something was done. */
const CHANGING: readonly PhaseName[] = ['stop-previous', 'start-head', 'start-workers', 'serve'];
/** Phases whose undo removes what the run started: what runs in the containers goes with them. */
const REMOVED: readonly PhaseName[] = ['start-head', 'start-workers'];

const UNCHANGED = 'Nothing was changed.';

/** Cluster first, then the state as one word: what a lock screen shows. */
export function title(record: Deployment): string {
  const { cluster, recipe, number } = record;
  const what = `${recipe} (#${number})`;
  if (record.run === 'stop') return `${cluster} ${stopWord(record)}: ${what}`;
  switch (record.state) {
    case 'queued':
      return `${cluster} QUEUED: ${what}`;
    case 'running':
      return `${cluster} DEPLOYING: ${what}${pastReturn(record) ? ', past the point of no return' : ''}`;
    case 'aborting':
      return `${cluster} ${record.aborting?.to === 'cancelled' ? 'CANCELLING' : 'FAILING'}: ${what}`;
    case 'serving':
      return `${cluster} UP: ${recipe}${rate(record)} (#${number})`;
    case 'failed':
      return `${cluster} FAILED: ${recipe}${record.phase ? ` at ${phaseName(record.phase).toLowerCase()}` : ''} (#${number})`;
    case 'cancelled':
      return `${cluster} CANCELLED: ${what}`;
    case 'stopped':
      return `${cluster} STOPPED: ${what}`;
    case 'replaced':
      return `${cluster} REPLACED: ${what}, another model serves`;
    case 'died':
      return `${cluster} DIED: ${what} serves no more`;
  }
}

/** What became of it, in lines of mrkdwn; none while it goes well. */
export function outcome(record: Deployment): readonly string[] {
  switch (record.state) {
    case 'queued':
    case 'running':
      return record.cancelAsked ? [`${person(record.cancelAsked.by.user)} asked to cancel.`] : [];
    case 'aborting':
      return [...causeLines(record), ...(leftBehind(record) === 'untouched' ? [] : ['Removing what it started.'])];
    case 'serving':
      return record.run === 'stop' ? [...causeLines(record), ...nextLines(record)] : servingLines(record);
    case 'failed':
    case 'died':
      return [...causeLines(record), ...nextLines(record), ...leftLines(record)];
    case 'cancelled':
      return leftLines(record);
    case 'stopped':
    case 'replaced':
      return [];
  }
}

export function servingLines(record: Deployment): readonly string[] {
  const { endpoint = record.plan.endpoint, plan, smoke } = record;
  const address = `${said(endpoint, 200)}/v1, model ${said(plan.servedName, 120)}`;
  if (!smoke) return [address];
  const first = smoke.ttftMs < 100 ? `${Math.round(smoke.ttftMs)} ms` : `${(smoke.ttftMs / 1_000).toFixed(1)} s`;
  return [
    address,
    `First token ${first}, ${Math.round(smoke.tokensPerSecond)} tok/s. I asked a question and the answer was right.`,
  ];
}

export function causeLines({ cause }: Deployment): readonly string[] {
  if (!cause) return [];
  const where = cause.node === undefined || cause.text.includes(cause.node) ? '' : `${said(cause.node, 40)}: `;
  return [`Cause: ${where}${said(cause.text)}`];
}

export function nextLines({ remedy }: Deployment): readonly string[] {
  return remedy === undefined || remedy === '' ? [] : [`Next: ${said(remedy)}`];
}

/** What stands on the nodes after an attempt that didn't work out. */
export function leftLines(record: Deployment): readonly string[] {
  if (record.state === 'died') return [`Nothing of #${record.number} serves on ${record.cluster}. Its logs are kept.`];
  const left = leftBehind(record);
  if (left === 'untouched') return record.cause?.text.includes(UNCHANGED) ? [] : [UNCHANGED];
  if (left === 'cleaned') return [`Cleaned up, logs kept. Nothing serves on ${record.cluster}.`];
  return [`Not everything could be removed (${left.join(', ')}). /spark status shows what is left.`];
}

/** Names of the phases whose effect still stands; or that none does, or that nothing was ever changed. */
export function leftBehind(record: Deployment): 'untouched' | 'cleaned' | readonly string[] {
  if (!hasBegun(record, CHANGING)) return 'untouched';
  const standing = record.phases.filter(
    ({ name, state }) => REMOVED.includes(name) && (state === 'done' || state === 'failed'),
  );
  return standing.length === 0 ? 'cleaned' : standing.map((phase) => phaseName(phase.name).toLowerCase());
}

function pastReturn(record: Deployment): boolean {
  return hasBegun(record, ['stop-previous']);
}

/** "16 min", of the current run. */
export function took(record: Deployment): string | undefined {
  const from = record.run === 'stop' ? record.phases.find((phase) => phase.startedAt)?.startedAt : record.createdAt;
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
    case 'aborting':
    case 'serving':
    case 'failed':
    case 'cancelled':
      return 'NOT STOPPED';
    case 'stopped':
      return 'STOPPED';
    case 'replaced':
      return 'REPLACED';
    case 'died':
      return 'DIED';
  }
}
