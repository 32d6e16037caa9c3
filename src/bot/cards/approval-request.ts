import type { Button } from '@slack/types';
import { aRight, RIGHTS } from '../../config/rights.ts';
import type { Approval } from '../../jobs/approval/approval.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import { SLASH } from '../grammar.ts';
import { requestButtons } from './approval-buttons.ts';
import { decidedBy, decisionLines, decisionWord, forcedLines, joined, runningIn, wish } from './approval-words.ts';
import { factLines } from './approval-facts.ts';
import { actions, fitting, header, section, type Message } from './message.ts';
import { clockTime, person, plain, said } from './mrkdwn.ts';
import { duration } from './time.ts';

interface RequestOptions {
  /** Who decides, as mentions. */
  deciders: readonly string[];
}

/**
 * The request for approval, a message of its own: what dies first, whose it is, how much it is used, and whether it can
 * come back. Decided, it says by whom and why, and has no buttons.
 */
export function approvalRequest(record: Deployment, approval: Approval, options: RequestOptions): Message {
  const facts = [asker(record, approval), ...factLines(record, approval), ...forcedLines(record)];
  const state = approval.decision ? decisionLines(approval) : openLines(record, approval, options);
  const buttons = approval.decision ? [] : requestButtons(record, approval);
  return fitting(
    () => rendered(record, approval, { options, lines: facts, state, buttons }),
    () => rendered(record, approval, { options, lines: facts.slice(0, 6), state, buttons }),
  );
}

interface Parts {
  options: RequestOptions;
  lines: readonly string[];
  state: readonly string[];
  buttons: readonly Button[];
}

function rendered(record: Deployment, approval: Approval, { options, lines, state, buttons }: Parts): Message {
  return {
    text: [firstLine(record, approval, options), ...lines, ...state].join('\n'),
    blocks: [
      header(heading(record, approval)),
      section(lines.join('\n')),
      section(state.join('\n')),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
  };
}

/** What a lock screen shows: the cluster, what dies, for whom. */
function firstLine(record: Deployment, approval: Approval, { deciders }: RequestOptions): string {
  const { decision } = approval;
  const asked = wish(record, approval, person(approval.by.user));
  if (decision) return `${record.cluster} ${decisionWord(decision)}${decidedBy(decision)}: ${asked}.`;
  const facts = [...pressing(approval), ...price(approval)];
  const more = facts.length === 0 ? '' : ` ${facts.join(', ')}.`;
  return `${record.cluster}: ${asked}?${more} ${deciders.join(' ')}`.trim();
}

/** Plain text: people are in the lines below. */
function heading(record: Deployment, approval: Approval): string {
  const about = wish(record, approval);
  const { decision } = approval;
  return decision
    ? `${record.cluster} ${decisionWord(decision)}: ${about} (#${record.number})`
    : `${record.cluster}: ${about}? (#${record.number})`;
}

function pressing({ action, facts }: Approval): readonly string[] {
  if (action === 'cancel' || facts.interrupts.length === 0) return [];
  const running = runningIn(facts.interrupts);
  return [running === undefined ? 'running now unknown' : `${running} running`];
}

function price({ action, facts }: Approval): readonly string[] {
  if (action === 'stop' || action === 'cancel') return ['nothing serves then'];
  if (action === 'stop-foreign') return ['I did not start it'];
  return facts.downMs === undefined || facts.interrupts.length === 0 ? [] : [`down about ${duration(facts.downMs)}`];
}

function asker(record: Deployment, { action, by }: Approval): string {
  const who = person(by.user);
  const note = record.note === undefined ? '' : `: "${said(record.note, 200)}"`;
  const what = said(record.recipe, 60);
  switch (action) {
    case 'deploy':
      return `${who} wants ${what}${note}.`;
    case 'rollback':
      return `${who} wants ${what} back as it served, its image by digest.`;
    case 'restart':
      return `${who} wants the same plan started again.`;
    case 'stop':
    case 'cancel':
    case 'stop-foreign':
      return `${who} asks for it.`;
  }
}

function openLines(record: Deployment, approval: Approval, { deciders }: RequestOptions): readonly string[] {
  const { terms, votes, until } = approval;
  const agreed = votes.map(({ by, when }) => `${person(by.user)}${when === 'idle' ? ' (when idle)' : ''}`);
  const owners = ownersOf(approval);
  const whose = deciders.length === 0 ? joined(terms.from.map((name) => said(name, 40))) : joined(deciders);
  const decide = terms.required === 1 ? `Decides: ${whose}` : `${terms.required} of ${whose} decide`;
  const object = owners.length === 0 ? '' : ` ${joined(owners)} can object.`;
  const then = terms.onExpiry === 'proceed' ? 'then it goes ahead' : 'then nothing is done';
  return [
    ...(votes.length > 0 ? [`${votes.length} of ${terms.required} agreed: ${joined(agreed)}.`] : []),
    `${decide}.${object} Ends ${clockTime(until)}, ${then}.`,
    ...glassLine(approval),
    `Or type \`${SLASH} approve ${record.number}\`, \`${SLASH} deny ${record.number} REASON\``,
  ];
}

/** Whose models would be stopped, as mentions; who asked knows already. */
function ownersOf({ by, facts }: Approval): readonly string[] {
  const users = facts.interrupts.flatMap(({ owner }) => (owner && owner.user !== by.user ? [owner.user] : []));
  return [...new Set(users)].map(person);
}

function glassLine({ at, terms }: Approval): readonly string[] {
  const { breakGlass } = terms;
  if (!breakGlass) return [];
  const from = new Date(Date.parse(at) + breakGlass.afterMs).toISOString();
  const right = RIGHTS.find((each) => each === breakGlass.right);
  const who = right === undefined ? plain(breakGlass.right, 40) : aRight(right);
  return [`From ${clockTime(from)} on ${who} may decide alone, with a reason that everybody is told.`];
}
