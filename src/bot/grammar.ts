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
  required: readonly string[];
}

/** `/spark deploy RECIPE [on CLUSTER] [key=value ...]` */
export function usage({ name, positional, words, flags, overrides, required }: Grammar): string {
  const shown = new Set(positional);
  const inWords = Object.entries(words).filter(([, key]) => !shown.has(key));
  return [
    SLASH,
    name,
    ...positional.map((key) => (required.includes(key) ? key.toUpperCase() : `[${key.toUpperCase()}]`)),
    ...inWords.map(([word, key]) => `[${word} ${PLACEHOLDERS[word] ?? (word === key ? 'NAME' : key.toUpperCase())}]`),
    ...flags.map((flag) => `[${flag}]`),
    ...(overrides ? ['[key=value ...]'] : []),
  ].join(' ');
}

const PLACEHOLDERS: Readonly<Partial<Record<string, string>>> = {
  lines: 'N',
  since: 'AGE',
  grep: 'TEXT',
  by: '@PERSON',
  until: 'TIME',
  note: '"TEXT"',
};
