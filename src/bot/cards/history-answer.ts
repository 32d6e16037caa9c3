import type { Deployment } from '../../jobs/deployment.ts';
import { SLASH } from '../grammar.ts';
import { plainAnswer } from './answers.ts';
import { fitting, section, type Message } from './message.ts';
import { dayTime, person, said } from './mrkdwn.ts';
import { untilAndNote } from './ownership.ts';
import { took } from './outcome.ts';

/** One line a deployment: number, what, state, who, when, how long. */
export function historyAnswer(records: readonly Deployment[], limit: number): Message {
  if (records.length === 0) return plainAnswer(['No such deployment is recorded.']);
  const lines = records.map(lineOf);
  const more =
    records.length === limit
      ? [`The last ${limit}. For more: \`${SLASH} history lines ${Math.min(200, limit * 4)}\``]
      : [];
  const [first, ...rest] = counts(lines.length).map((count) => () => {
    const shown =
      count === lines.length ? [...lines, ...more] : [...lines.slice(0, count), `And ${lines.length - count} older.`];
    return { text: shown.join('\n'), blocks: chunks(shown).map((chunk) => section(chunk.join('\n'))) };
  });
  return first ? fitting(first, ...rest) : plainAnswer([]);
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
