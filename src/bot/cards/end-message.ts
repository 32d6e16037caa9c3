import type { Button } from '@slack/types';
import type { Deployment } from '../../jobs/deployment.ts';
import { SLASH } from '../grammar.ts';
import { endByPeople, approvedLines, goesOn } from './end-by-people.ts';
import { nextButtons } from './next-buttons.ts';
import { forcedLines } from './approval-words.ts';
import { actions, fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, person, said } from './mrkdwn.ts';
import { causeLines, leftBehind, leftLines, nextLines, rate, servingLines, successor, took } from './outcome.ts';
import { phaseWord } from './phases.ts';
import { subject } from './subject.ts';

/** Characters of the first line that a phone shows. */
const PUSH_LENGTH = 75;

/** The new message that says how a run ended and mentions who asked. Its first line is the push. */
export function endMessage(record: Deployment, asker: string): Message {
  const [first, ...details] = lines(record, asker);
  const proof = showsProof(record) ? excerpt(record.cause?.lines ?? []) : [];
  const buttons = nextButtons(record);
  return fitting(
    () => rendered(first ?? '', details, { proof, buttons }),
    () => rendered(first ?? '', details, { proof: proof.slice(-8), buttons }),
    () => rendered(first ?? '', details, { proof: proof.slice(-4), buttons }),
  );
}

function rendered(
  first: string,
  details: readonly string[],
  { proof, buttons }: { proof: readonly string[]; buttons: readonly Button[] },
): Message {
  const text = [first, ...details, ...(proof.length > 0 ? [codeBlock(proof)] : [])].join('\n');
  const blocks = [
    section([first, ...details].join('\n')),
    ...(proof.length > 0 ? [preformatted(proof)] : []),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ];
  return { text, blocks };
}

function lines(record: Deployment, asker: string): readonly string[] {
  const kept = endByPeople(record, asker);
  if (kept) return [...kept, ...forcedLines(record)];
  return [...ownLines(record, asker), ...approvedLines(record), ...forcedLines(record)];
}

function ownLines(record: Deployment, asker: string): readonly string[] {
  const { cluster, recipe, number, state } = record;
  const time = took(record);
  const whom = person(asker);
  if (record.run === 'stop-foreign') return foreignLines(record, whom);
  if (record.run === 'stop' && state !== 'stopped' && state !== 'died') {
    return [
      `${cluster} NOT STOPPED: ${recipe} still counts as serving. ${whom}`,
      ...causeLines(record),
      ...nextLines(record),
    ];
  }
  switch (state) {
    case 'serving':
      return [
        `${cluster} UP: ${recipe}${rate(record)}${time === undefined ? '' : `, took ${time}`}. ${whom}`,
        ...servingLines(record),
      ];
    case 'failed':
      return [
        `${cluster} FAILED: ${recipe}${shortCause(record)} ${nowServes(record)} ${whom}`,
        `${recipe} failed on ${cluster}${time === undefined ? '' : ` after ${time}`}${step(record)} (#${number})`,
        ...causeLines(record),
        ...nextLines(record),
        ...stateLines(record),
      ];
    case 'cancelled':
      return cancelledLines(record, whom);
    case 'stopped':
      return [
        `${cluster} STOPPED: ${recipe}, nothing serves. ${whom}`,
        `#${number} is removed from its nodes, logs kept.`,
      ];
    case 'replaced':
      return [`${cluster} REPLACED: ${recipe}, ${successor(record)}. ${whom}`];
    case 'died':
      return [
        `${cluster} DIED: ${recipe} serves no more. ${whom}`,
        ...causeLines(record),
        ...nextLines(record),
        ...leftLines(record),
      ];
    case 'denied':
    case 'expired':
    case 'void':
    case 'queued':
    case 'running':
    case 'waiting-approval':
    case 'aborting':
      return [`${cluster}: #${number} goes on. ${whom}`];
  }
}

function foreignLines(record: Deployment, whom: string): readonly string[] {
  const what = subject(record);
  if (record.state === 'stopped') return [`${record.cluster} STOPPED: ${what}, which I did not start. ${whom}`];
  return [
    `${record.cluster} NOT STOPPED: ${what}${shortCause(record)} ${whom}`,
    ...causeLines(record),
    ...nextLines(record),
  ];
}

function cancelledLines(record: Deployment, whom: string): readonly string[] {
  const by = record.aborting?.by ?? record.cancelAsked?.by;
  const time = took(record);
  const when = leftBehind(record) === 'untouched' || time === undefined ? '' : ` after ${time}`;
  const who = by ? ` by ${person(by.user)}` : '';
  const mention = by && person(by.user) === whom ? '' : ` ${whom}`;
  return [
    `${record.cluster} CANCELLED: ${record.recipe}, #${record.number}${who}${when}. ${nowServes(record)}${mention}`,
    ...stateLines(record),
  ];
}

/** Below a first line that has said it when nothing was changed. */
function stateLines(record: Deployment): readonly string[] {
  const left = leftBehind(record);
  if (left === 'untouched') return goesOn(record);
  return left === 'unstarted' || left === 'overtaken' ? [] : [...leftLines(record), ...logLines(record)];
}

function logLines({ number, phases }: Deployment): readonly string[] {
  const served = phases.some(({ name, state }) => name === 'load' && state !== 'waiting');
  return served ? [`More of its log: \`${SLASH} logs ${number}\``] : [];
}

function nowServes(record: Deployment): string {
  const left = leftBehind(record);
  if (left === 'untouched') return 'Nothing was changed.';
  if (left === 'unstarted') return 'Nothing was started.';
  if (left === 'overtaken') return 'Nothing was removed.';
  return left === 'cleaned' ? 'Nothing serves.' : 'Not all is removed.';
}

function showsProof({ state }: Deployment): boolean {
  return state === 'failed' || state === 'died' || state === 'serving';
}

/** As much of the cause as a lock screen shows; the whole sentence follows below. */
function shortCause({ cause, cluster, recipe }: Deployment): string {
  if (!cause) return '.';
  const room = Math.max(30, PUSH_LENGTH - `${cluster} FAILED: ${recipe}, . Nothing serves.`.length);
  const whole = (cause.short ?? cause.text).replace(/\.$/, '');
  if (whole.length <= room) return `, ${said(whole)}.`;
  const words = whole.slice(0, room).replace(/[\s,;:]+\S*$/, '');
  return `, ${said(words.length > room / 2 ? `${words} …` : `${whole.slice(0, room)}…`)}`;
}

function step({ phase }: Deployment): string {
  return phase ? `, step ${phaseWord(phase)}` : '';
}
