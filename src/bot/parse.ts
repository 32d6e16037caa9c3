import { listed, nearest } from '../config/nearest.ts';
import { looksSecret } from '../config/looks-secret.ts';
import { OperatorError } from '../errors.ts';
import { SLASH, usage, type Grammar } from './grammar.ts';
import { saidBack } from './said-back.ts';
import type { Word } from './words.ts';

export interface Parsed {
  values: Readonly<Record<string, string>>;
  overrides: Readonly<Record<string, string>>;
}

/** The words after the command's name, by the command's grammar. */
export function parse(grammar: Grammar, words: readonly Word[]): Parsed {
  refuseSecrets(words);
  const values = new Map<string, string>();
  const overrides = new Map<string, string>();
  const positional = [...grammar.positional];

  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? { text: '', quoted: true };
    const begins = tailAt(grammar, word, positional);
    if (begins !== undefined) {
      const text = words.slice(at + begins.skip).map((each) => each.text);
      put(values, begins.key, text.join(' ').trim(), begins.key);
      break;
    }
    const said = word.quoted ? { kind: 'value' as const } : meaning(grammar, word.text);
    switch (said.kind) {
      case 'value': {
        const key = positional.shift();
        if (key === undefined) throw unexpected(grammar, word.text);
        put(values, key, word.text, key);
        break;
      }
      case 'word': {
        const value = said.value ?? follower(grammar, words[++at], said.word);
        put(values, said.key, value, said.word);
        break;
      }
      case 'flag':
        put(values, said.key, 'yes', said.key);
        break;
      case 'override':
        put(overrides, said.key, said.value, said.key);
        break;
      case 'unknown':
        throw unexpected(grammar, word.text);
    }
  }

  const missing = grammar.required.find((key) => !values.has(key));
  if (missing !== undefined) throw wrong(grammar, `Which ${missing}?`);
  return { values: Object.fromEntries(values), overrides: Object.fromEntries(overrides) };
}

/** Where the text that runs to the end begins: at this word, or after it. */
function tailAt(
  { words, flags, tail }: Grammar,
  { text, quoted }: Word,
  positional: readonly string[],
): { key: string; skip: 0 | 1 } | undefined {
  if (tail === undefined) return undefined;
  const name = text.replace(/^--|:$/g, '').toLowerCase();
  if (!quoted && Object.hasOwn(words, name) && words[name] === tail) return { key: tail, skip: 1 };
  const isOther = Object.hasOwn(words, name) || flags.includes(name);
  // A quoted text is whole: other words may follow it.
  return positional[0] === tail && !quoted && !isOther ? { key: tail, skip: 0 } : undefined;
}

type Meaning =
  | { kind: 'value' | 'unknown' }
  | { kind: 'flag'; key: string }
  | { kind: 'word'; word: string; key: string; value?: string }
  | { kind: 'override'; key: string; value: string };

function meaning({ words, flags, overrides }: Grammar, text: string): Meaning {
  const [, dashes = '', name = '', , value] = /^(--)?([A-Za-z][\w.-]*)(=(.*))?$/s.exec(text) ?? [];
  const key = Object.hasOwn(words, name.toLowerCase()) ? words[name.toLowerCase()] : undefined;
  if (key !== undefined) {
    return { kind: 'word', word: name.toLowerCase(), key, ...(value === undefined ? {} : { value }) };
  }
  if (value === undefined && flags.includes(name.toLowerCase())) return { kind: 'flag', key: name.toLowerCase() };
  if (value !== undefined) return overrides ? { kind: 'override', key: name, value } : { kind: 'unknown' };
  return { kind: dashes || text.startsWith('--') ? 'unknown' : 'value' };
}

/** The value of a word is the next one, unless that is a word of the command itself. */
function follower(grammar: Grammar, next: Word | undefined, word: string): string {
  const free = next !== undefined && (next.quoted || meaning(grammar, next.text).kind === 'value');
  if (!free) throw wrong(grammar, `"${word}" needs a ${grammar.words[word]} after it.`);
  return next.text;
}

function put(into: Map<string, string>, key: string, value: string, word: string): void {
  if (into.has(key)) throw new OperatorError('usage', `"${word}" is given twice.`, { hint: 'Give it once.' });
  if (value === '') throw new OperatorError('usage', `"${word}" has no value.`, { hint: `Type ${word}=VALUE.` });
  into.set(key, value);
}

function unexpected(grammar: Grammar, text: string): OperatorError {
  const [, bare = text] = /^-*([^=]*)/.exec(text) ?? [];
  const meant = nearest(bare, [...Object.keys(grammar.words), ...grammar.flags]);
  const sentence = `I don't know the word "${saidBack(text)}" here.`;
  return wrong(grammar, meant === undefined ? sentence : `${sentence} Did you mean "${meant}"?`);
}

function wrong(grammar: Grammar, sentence: string): OperatorError {
  return new OperatorError('usage', sentence, { hint: `Usage: ${usage(grammar)}` });
}

function refuseSecrets(words: readonly Word[]): void {
  const parts = words.flatMap(({ text }) => [text, ...text.split('=').slice(1)]);
  if (!parts.some((part) => looksSecret(part))) return;
  throw new OperatorError('usage', 'One of these words looks like a secret. I stored nothing of it.', {
    hint: 'Replace that secret: Slack has it now. Recipes name secrets as secret:NAME, and the bot reads them from its environment.',
  });
}

/** The command that the first word names. */
export function whichCommand<Command extends { name: string }>(commands: readonly Command[], word: string): Command {
  const name = word.toLowerCase().replace(/^\//, '');
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const names = commands.map((command) => command.name);
  const meant = nearest(name, names);
  throw new OperatorError('usage', `I don't know "${saidBack(word)}".`, {
    hint: meant === undefined ? `I know ${listed(names)}. Try ${SLASH} help.` : `Did you mean ${SLASH} ${meant}?`,
  });
}
