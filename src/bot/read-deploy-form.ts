import { OperatorError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Grammar } from './grammar.ts';
import { parse } from './parse.ts';
import { readUntil } from './when.ts';
import { toWords } from './words.ts';

/** As Slack sends a form's fields: by block, then by action. */
export type FormValues = Readonly<
  Record<
    string,
    Readonly<
      Record<string, { value?: string | null | undefined; selected_option?: { value?: string } | null | undefined }>
    >
  >
>;

/** What would be typed for the form. */
export function typedDeploy(values: FormValues): string {
  const until = fieldOf(values, 'until');
  const note = fieldOf(values, 'note');
  return [
    `deploy ${fieldOf(values, 'recipe')} on ${fieldOf(values, 'cluster')}`,
    fieldOf(values, 'overrides'),
    until && `until ${quoted(until)}`,
    note && `note ${quoted(note)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

interface FormCheck {
  grammar: Grammar;
  jobs: Pick<Jobs, 'plan'>;
  now: Date;
  zone: string;
}

/** What is wrong with which field; empty when it can be sent. */
export async function formProblems(
  values: FormValues,
  { grammar, jobs, now, zone }: FormCheck,
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {};
  const until = fieldOf(values, 'until');
  if (until !== '') note(problems, 'until', () => readUntil(until, now, zone));
  const parsed = note(problems, 'overrides', () => parse(grammar, toWords(typedDeploy(values)).slice(1)));
  if (!parsed) return problems;
  try {
    await jobs.plan({
      recipe: fieldOf(values, 'recipe'),
      cluster: fieldOf(values, 'cluster'),
      overrides: parsed.overrides,
    });
  } catch (error) {
    problems[error instanceof OperatorError && error.code === 'usage' ? 'overrides' : 'recipe'] = sayable(error);
  }
  return problems;
}

function note<T>(problems: Record<string, string>, field: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems[field] = sayable(error);
    return undefined;
  }
}

/** Anything else is a bug, and told as one. */
function sayable(error: unknown): string {
  if (error instanceof OperatorError) return `${error.message} ${error.hint}`.slice(0, 250);
  throw error;
}

export function fieldOf(values: FormValues, id: string): string {
  const field = values[id]?.[id];
  return (field?.selected_option?.value ?? field?.value ?? '').trim();
}

/** A quote inside would end it. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb`\uff02]/g, "'")}"`;
}
