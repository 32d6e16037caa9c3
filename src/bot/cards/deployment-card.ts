import type { Button, KnownBlock } from '@slack/types';
import { isEnded, type Deployment } from '../../jobs/deployment.ts';
import { forcedLines } from './approval-words.ts';
import { button } from './button.ts';
import { actions, context, fitting, header, section, type Message } from './message.ts';
import { clockTime, person, said } from './mrkdwn.ts';
import { nextButtons } from './next-buttons.ts';
import { outcome, title, took } from './outcome.ts';
import { untilAndNote } from './ownership.ts';
import { phaseLines, planBlock, type Detail } from './phases.ts';

export interface CardOptions {
  /** Slack user id of who asked for the current run. */
  asker: string;
  /** Sections in place of the plan block, for a Slack that refuses it. */
  sections?: boolean;
}

/** The one message that shows a run, edited in place: the latest state, whole. */
export function deploymentCard(record: Deployment, options: CardOptions): Message {
  return fitting(
    () => rendered(record, options, 'full'),
    () => rendered(record, options, 'short'),
  );
}

/** The card of the deploy itself, once a stop has a card of its own or the model serves no more: it tells what became of it. */
export function formerCard(record: Deployment, options: CardOptions): Message {
  return fitting(() => {
    const former = { ...record, run: 'deploy' as const };
    const goesOn = record.run === 'stop' && !isEnded(record.state);
    const heading = goesOn ? `${record.cluster} STOPPING: ${record.recipe} (#${record.number})` : title(former);
    const lines = [
      asked(record, options),
      ...forcedLines(record),
      ...(goesOn ? ['It is being stopped.'] : outcome(former)),
    ];
    return { text: [heading, ...lines].join('\n'), blocks: [header(heading), context(lines.join('\n'))] };
  });
}

function rendered(record: Deployment, options: CardOptions, detail: Detail): Message {
  const heading = title(record);
  const who = asked(record, options);
  const steps = phaseLines(record, detail);
  const became = [...forcedLines(record), ...outcome(record), ...ended(record)];
  const blocks: KnownBlock[] = [
    header(heading),
    context(who),
    options.sections ? section(steps.join('\n') || heading) : planBlock(record, detail),
  ];
  if (became.length > 0) blocks.push(section(became.join('\n')));
  const buttons = buttonsFor(record);
  if (buttons.length > 0) blocks.push(actions(buttons));
  return { text: [heading, who, ...steps, ...became].join('\n'), blocks };
}

function asked(record: Deployment, { asker }: CardOptions): string {
  const nodes = record.plan.nodes.map((node) => said(node.name, 40)).join(', ');
  const overrides = Object.entries(record.plan.overrides).map(([key, value]) => said(`${key}=${value}`, 80));
  const { owner } = record;
  const parts = [
    `Asked by ${person(asker)}`,
    ...(owner && owner.user !== asker ? [`of ${person(owner.user)}`] : []),
    `${record.cluster}: ${nodes}`,
    ...(overrides.length > 0 ? [`with ${overrides.join(', ')}`] : []),
    ...untilAndNote(record),
    `config ${said(record.revision, 12)}`,
  ];
  return `${parts.join(' · ')}`;
}

function ended(record: Deployment): readonly string[] {
  if (!isEnded(record.state) || record.endedAt === undefined) return [];
  const time = took(record);
  return [`Ended at ${clockTime(record.endedAt)}${time === undefined ? '' : ` after ${time}`}.`];
}

function buttonsFor(record: Deployment): readonly Button[] {
  if (isEnded(record.state)) return nextButtons(record);
  const logs = button({ action: 'logs', text: 'Logs', value: record.uid });
  const cancellable = record.run === 'deploy' && record.state !== 'aborting' && !record.cancelAsked;
  return [...(drains(record) ? [stopNowButton(record)] : []), ...(cancellable ? [cancelButton(record)] : []), logs];
}

/** Running requests are waited for: progress is told of nothing else in these phases. */
function drains({ state, drainUntil, stopNow, phase, progress }: Deployment): boolean {
  if (state !== 'running' || drainUntil === undefined || stopNow || progress === undefined) return false;
  return phase === 'stop' || phase === 'stop-previous';
}

function stopNowButton(record: Deployment): Button {
  return button({
    action: 'stop-now',
    text: 'Stop now',
    value: record.uid,
    style: 'danger',
    confirm: {
      title: { type: 'plain_text', text: 'Stop now?' },
      text: { type: 'plain_text', text: 'Requests that still run are cut off in the middle of their answers.' },
      confirm: { type: 'plain_text', text: 'Stop now' },
      deny: { type: 'plain_text', text: 'Go back' },
      style: 'danger',
    },
  });
}

export function cancelButton(record: Deployment, text = 'Cancel'): Button {
  return button({
    action: 'cancel',
    text,
    value: record.uid,
    style: 'danger',
    confirm: {
      title: { type: 'plain_text', text: `Cancel #${record.number}?` },
      text: {
        type: 'plain_text',
        text: `${title(record)}. I remove what it started on ${record.cluster}.`.slice(0, 300),
      },
      confirm: { type: 'plain_text', text: 'Cancel it' },
      deny: { type: 'plain_text', text: 'Go back' },
      style: 'danger',
    },
  });
}
