import type { PlanBlock, RichTextBlock, TaskCardBlock } from '@slack/types';
import { isEnded, type Deployment, type PhaseName, type PhaseRecord, type Progress } from '../../jobs/deployment.ts';
import { wasAsked } from './approval-words.ts';
import { plain, said } from './mrkdwn.ts';
import { between, duration } from './time.ts';

/** How much of what was seen is shown. */
export type Detail = 'full' | 'short';

const NAMES: Record<PhaseName, string> = {
  preflight: 'Preflight',
  approval: 'Approval',
  'stop-previous': 'Stop previous',
  'start-head': 'Start head',
  'start-workers': 'Start workers',
  'verify-ray': 'Verify Ray',
  serve: 'Serve',
  load: 'Load',
  smoke: 'Smoke test',
  stop: 'Stop',
  'stop-foreign': 'Stop what others run',
};

// Slack knows four shapes; an undone phase is back where it was.
const SHAPES = {
  waiting: 'pending',
  running: 'in_progress',
  done: 'complete',
  failed: 'error',
  undone: 'pending',
} as const;

const SIGNS = { waiting: '·', running: '▸', done: '✓', failed: '✗', undone: '↩' } as const;

/** Phases whose effect is removed. Of a check that a cancel ended nothing has to be. */
const UNDONE: readonly PhaseName[] = ['start-head', 'start-workers', 'serve'];

export function phaseName(phase: PhaseName): string {
  return NAMES[phase];
}

/** Within a sentence: "verify Ray". */
export function phaseWord(phase: PhaseName): string {
  const name = NAMES[phase];
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** One task card a phase, edited in place. */
export function planBlock(record: Deployment, detail: Detail): PlanBlock {
  return {
    type: 'plan',
    title: plain(whereItIs(record), 150),
    tasks: shownPhases(record).map((phase) => taskCard(record, phase, detail)),
  };
}

/** The same as lines of mrkdwn: for `text`, and for a Slack that doesn't take plan blocks. */
export function phaseLines(record: Deployment, detail: Detail): readonly string[] {
  return shownPhases(record).map((phase) => {
    const seen = seenIn(record, phase, detail);
    return `${SIGNS[phase.state]} ${heading(record, phase)}${seen === undefined ? '' : `: ${said(seen, 160)}`}`;
  });
}

/** Where nobody was asked, and nothing was interrupted, there is no approval to tell of. */
function shownPhases(record: Deployment): readonly PhaseRecord[] {
  const tells = wasAsked(record) || (record.replaces ?? []).length > 0;
  return record.phases.filter(({ name, state }) => name !== 'approval' || tells || state === 'failed');
}

function taskCard(record: Deployment, phase: PhaseRecord, detail: Detail): TaskCardBlock {
  const seen = seenIn(record, phase, detail);
  const bar = phase.state === 'running' ? progressBar(record.progress) : undefined;
  return {
    type: 'task_card',
    task_id: phase.name,
    title: heading(record, phase),
    status: brokeAt(record, phase.name) ? 'error' : SHAPES[phase.state],
    ...(seen === undefined ? {} : { details: richText(plain(seen, 200)) }),
    ...(bar === undefined ? {} : { output: richText(bar) }),
  };
}

/** "Load, running", "Preflight, done in 3 s". A word beside the shape: shapes and colours alone say too little. */
function heading(record: Deployment, phase: PhaseRecord): string {
  const took = between(phase.startedAt, phase.endedAt);
  const time = took === undefined ? '' : ` ${phase.state === 'failed' ? 'after' : 'in'} ${duration(took)}`;
  const again = phase.attempts > 1 ? `, attempt ${phase.attempts}` : '';
  return `${NAMES[phase.name]}, ${stateWord(record, phase)}${phase.state === 'undone' ? '' : time}${again}`;
}

function stateWord(record: Deployment, { name, state }: PhaseRecord): string {
  switch (state) {
    case 'waiting':
      return isEnded(record.state) || record.state === 'aborting' ? 'not run' : 'waiting';
    case 'running':
      if (record.state === 'waiting-approval')
        return record.approval?.decision ? 'approved, waits until no request runs' : 'waiting for people';
      return record.state === 'aborting' ? 'interrupted' : 'running';
    case 'done':
      return 'done';
    case 'failed':
      return 'FAILED';
    case 'undone':
      if (!UNDONE.includes(name)) return 'interrupted';
      return brokeAt(record, name) ? 'FAILED, undone' : 'undone';
  }
}

/** The phase at which it failed, also once that phase is undone. */
function brokeAt({ state, aborting, phase }: Deployment, name: PhaseName): boolean {
  return phase === name && (state === 'failed' || (state === 'aborting' && aborting?.to === 'failed'));
}

function seenIn(record: Deployment, phase: PhaseRecord, detail: Detail): string | undefined {
  if (phase.state === 'running' && record.progress) return progressText(record.progress);
  return detail === 'full' || phase.state === 'running' ? phase.saw : undefined;
}

function whereItIs(record: Deployment): string {
  const phases = shownPhases(record);
  const at = phases.findIndex((phase) => phase.state === 'running');
  const phase = phases[at];
  if (phase) return `Step ${at + 1} of ${phases.length}: ${NAMES[phase.name]}`;
  const done = phases.filter((one) => one.state === 'done').length;
  return `${done} of ${phases.length} steps done`;
}

/** "weights 21 of 39, 53 %, about 8 min left" */
export function progressText(progress: Progress): string {
  const { stage, percent, done, total, secondsLeft } = progress;
  const counted = done === undefined || total === undefined ? stage : `${stage} ${done} of ${total}`;
  const parts = [counted];
  if (percent !== undefined) parts.push(`${Math.round(percent)} %`);
  if (secondsLeft !== undefined)
    parts.push(secondsLeft < 60 ? 'less than a minute left' : `about ${roundedUp(secondsLeft)} left`);
  return parts.join(', ');
}

function progressBar(progress: Progress | undefined): string | undefined {
  if (progress?.percent === undefined) return undefined;
  const full = Math.max(0, Math.min(20, Math.round(progress.percent / 5)));
  return `${'█'.repeat(full)}${'░'.repeat(20 - full)} ${Math.round(progress.percent)} %`;
}

function roundedUp(seconds: number): string {
  return duration(Math.ceil(seconds / 60) * 60_000);
}

function richText(text: string): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] };
}
