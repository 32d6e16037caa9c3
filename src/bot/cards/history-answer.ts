import type { Deployment } from '../../jobs/deployment.ts';
import type { AuditLine } from '../../jobs/audit.ts';
import { SLASH } from '../grammar.ts';
import { plainAnswer } from './answers.ts';
import { button } from './button.ts';
import { actions, fitting, section, type Message } from './message.ts';
import { dayTime, person, said } from './mrkdwn.ts';
import { untilAndNote } from './ownership.ts';
import { took } from './outcome.ts';

interface Page {
  records: readonly Deployment[];
  /** What belongs to no deployment: holds, freezes, approvals, refused changes. */
  decisions: readonly AuditLine[];
  /** Lines of a page, and which page from 1. */
  lines: number;
  page: number;
  /** What would be typed for the next page. */
  older: string;
}

/** One line a deployment or decision, newest first: what, what became of it, who, when, how long. */
export function historyAnswer({ records, decisions, lines: size, page, older }: Page): Message {
  const all = [
    ...records.map((record) => ({ at: record.createdAt, text: lineOf(record) })),
    ...decisions.map((line) => ({ at: line.at, text: decisionLine(line) })),
  ].toSorted((one, other) => other.at.localeCompare(one.at));
  const lines = all.slice((page - 1) * size, page * size).map(({ text }) => text);
  if (lines.length === 0) return plainAnswer([page === 1 ? 'Nothing such is recorded.' : 'Nothing older is recorded.']);
  const more = all.length > page * size ? [`Older: \`${SLASH} ${said(older, 200)}\``] : [];
  const buttons = more.length > 0 ? [actions([button({ action: 'older', text: 'Older', value: older })])] : [];
  const [first, ...rest] = counts(lines.length).map((count) => () => {
    const left = lines.length - count;
    const shown =
      left === 0 ? [...lines, ...more] : [...lines.slice(0, count), `And ${left} more: ask for fewer lines.`];
    const blocks = chunks(shown).map((chunk) => section(chunk.join('\n')));
    return { text: shown.join('\n'), blocks: [...blocks, ...(left === 0 ? buttons : [])] };
  });
  return first ? fitting(first, ...rest) : plainAnswer([]);
}

/** "hold spark until 18:00 ACCEPTED: @Maya, Dec 1 10:00" */
function decisionLine({ what, decision, who, at, why, cluster }: AuditLine): string {
  const where = cluster === undefined || what.includes(cluster) ? '' : ` on ${said(cluster, 40)}`;
  const because = why === undefined ? [] : [said(why, 120)];
  return `${said(what, 120)}${where} ${decision.toUpperCase()}: ${[person(who.user), dayTime(at), ...because].join(', ')}`;
}

function lineOf(record: Deployment): string {
  const { number, recipe, cluster, by, createdAt, state } = record;
  const time = took(record);
  const parts = [
    person(by.user),
    dayTime(createdAt),
    ...(time === undefined ? [] : [time]),
    ...untilAndNote(record),
    ...(record.cause === undefined || state === 'serving' ? [] : [said(record.cause.short ?? record.cause.text, 60)]),
  ];
  return `#${number} ${said(recipe, 60)} on ${said(cluster, 40)} ${word(record)}: ${parts.join(', ')}`;
}

function word({ state, run }: Deployment): string {
  if (state === 'serving') return run === 'stop' ? 'NOT STOPPED' : 'UP';
  return state.toUpperCase();
}

function counts(all: number): readonly number[] {
  return [all, 100, 50, 30, 15, 10, 5].filter((count) => count <= all);
}

/** A section holds 3,000 characters. */
function chunks(lines: readonly string[], size = 10): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(lines.length / size) }, (_, at) => lines.slice(at * size, (at + 1) * size));
}
