/** What Slack knows the bot's command by. */
export const SLASH = '/spark';

/** Where a command's words go. Keys are those of `input`. */
export interface Grammar {
  name: string;
  /** Keys filled by position. */
  positional: readonly string[];
  /** Word -> key: `on spark`, `--on spark`, `--on=spark`, `on=spark`. */
  words: Readonly<Record<string, string>>;
  /** Words that stand alone, and are keys themselves. */
  flags: readonly string[];
  /** key=value as well. */
  overrides: boolean;
  /** The key of a text that runs to the end, without quotes: after its word (`reason: all of this`), or in its position. */
  tail?: string;
  required: readonly string[];
}

/** `/spark deploy RECIPE [on CLUSTER] [key=value ...]` */
export function usage({ name, positional, words, flags, overrides, tail, required }: Grammar): string {
  const shown = new Set(positional);
  const inWords = Object.entries(words).filter(([word, key]) => !shown.has(key) && !INTERNAL.has(word));
  return [
    SLASH,
    name,
    ...positional.map((key) => (required.includes(key) ? key.toUpperCase() : `[${key.toUpperCase()}]`)),
    ...inWords
      .filter(([, key]) => key !== tail)
      .map(([word, key]) => `[${word} ${PLACEHOLDERS[word] ?? (word === key ? 'NAME' : key.toUpperCase())}]`),
    ...flags.map((flag) => `[${flag}]`),
    ...(overrides ? ['[key=value ...]'] : []),
    ...inWords.filter(([, key]) => key === tail).map(([word]) => `[${word}: TEXT]`),
  ].join(' ');
}

/** What buttons say and nobody has to type. */
const INTERNAL: ReadonlySet<string> = new Set(['request']);

const PLACEHOLDERS: Readonly<Partial<Record<string, string>>> = {
  lines: 'N',
  page: 'N',
  since: 'AGE',
  grep: 'TEXT',
  by: '@PERSON',
  until: 'TIME',
  for: 'AGE',
  extend: 'AGE',
  note: '"TEXT"',
  force: 'hold|checks|foreign',
};
