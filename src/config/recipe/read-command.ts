import { shown } from '../check-shape.ts';
import { holdsSecret } from '../looks-secret.ts';
import { nearest } from '../nearest.ts';
import type { Value } from '../recipe-file.ts';
import { vllmWords } from './known-defaults.ts';
import { placeholdersIn, reachable, type Unescaped, unescapeBraces } from './placeholders.ts';
import type { Say } from './say.ts';
import { splitCommand, type Word } from './split-command.ts';

type Values = Readonly<Record<string, Value>>;

export interface CommandSource {
  text: string;
  version: 1 | 2;
  defaults: Values;
  /** v1 recipes may have none. */
  model: string | undefined;
}

/** The command in words. Placeholders stay in them, those that a shell would have split into several words excepted. */
export function readCommand({ text, version, defaults, model }: CommandSource, say: Say): string[] {
  const split = splitCommand(text);
  for (const { line, wrong, right } of split.problems) say(['command'], wrong, right, line);
  if (split.words.length === 0 && split.problems.length === 0)
    say(['command'], 'The command is empty', 'Write it out, such as vllm serve {model}');
  const known: Values = model === undefined ? { ...defaults } : { ...defaults, model };
  // Doubled braces anywhere make all of a v2 command escaped, as in sparkrun: `}}` alone also ends nested JSON.
  const escaped = version === 1 || text.includes('{{');
  const words: string[] = [];
  for (const word of split.words) {
    const plain = escaped
      ? withoutEscapes(word, { lenient: version === 2, known }, say)
      : { text: word.text, names: placeholdersIn(word.text), literal: [] };
    checkWord(plain, word.line, known, say);
    words.push(...inWords(plain.text, word, known, say));
  }
  checkFirst(split.words[0], say);
  if (version === 1) refuseNested(words, defaults, say);
  return words;
}

/** A command from the defaults alone, for vLLM. */
export function generateCommand(defaults: Values, say: Say): string[] {
  const words = ['vllm', 'serve', '{model}'];
  for (const [key, value] of Object.entries(defaults)) {
    const flag = vllmWords(key, value);
    if (flag) words.push(...flag);
    else {
      const wrong = `There is no command, and one can't be made from the defaults: no flag of vLLM is known for ${key}: ${shown(value)}`;
      say(['defaults', key], wrong, 'Write the command out');
    }
  }
  return words;
}

function withoutEscapes(word: Word, { lenient, known }: { lenient: boolean; known: Values }, say: Say): Unescaped {
  const unescaped = unescapeBraces(word.text, { lenient });
  if ('bad' in unescaped) {
    const right = 'Write {name} for a default, and {{ or }} for a brace';
    say(['command'], `${shown(unescaped.bad)} is no placeholder`, right, word.line);
    return { text: '', names: [], literal: [] };
  }
  for (const name of unescaped.literal.filter((literal) => Object.hasOwn(known, literal))) {
    const right = `Give the default ${name} another name`;
    say(['command'], `The text {${name}} is also the name of a default, and can't be told from it`, right, word.line);
  }
  return unescaped;
}

function checkWord({ text, names }: Unescaped, line: number, known: Values, say: Say): void {
  if (/(^|=)secret:\w+$/.test(text) || holdsSecret(text)) {
    const right = 'Name it in env as secret:NAME, such as VLLM_API_KEY: secret:VLLM_API_KEY';
    say(['command'], 'A secret in the command can be seen by everyone on the node', right, line);
  }
  if (text.includes('\0')) say(['command'], 'The command holds a NUL character', 'Remove it', line);
  // A missing model is a problem of its own.
  for (const name of names.filter((wanted) => wanted !== 'model' && !Object.hasOwn(known, wanted))) {
    const meant = nearest(name, Object.keys(known));
    const right = meant === undefined ? `Add ${name} to the defaults` : `Did you mean {${meant}}?`;
    say(['command'], `Nothing fills {${name}}`, right, line);
  }
}

/** A bare `{name}` whose default is several words, or none, is replaced by them here: a value of chat can't add a word. */
function inWords(text: string, word: Word, known: Values, say: Say): string[] {
  if (!word.bare) return [text];
  const [only] = placeholdersIn(text);
  const value = only !== undefined && Object.hasOwn(known, only) ? known[only] : undefined;
  if (text === `{${only}}` && typeof value === 'string') {
    if (value.trim() === '') return [];
    if (/^[\w.,:=/+@-]+(\s+[\w.,:=/+@-]+)+$/.test(value.trim())) return value.trim().split(/\s+/);
  }
  const spaced = placeholdersIn(text).find((name) => typeof known[name] === 'string' && /\s/.test(known[name]));
  if (spaced !== undefined) {
    const wrong = `{${spaced}} stands outside quotes, and its value has blanks: a shell would split it`;
    say(['command'], wrong, `Put it in single quotes: '${text}'`, word.line);
  }
  return [text];
}

function checkFirst(first: Word | undefined, say: Say): void {
  if (first && /^[A-Za-z_]\w*=/.test(first.text)) {
    say(['command'], 'The command begins with a variable', `Move ${first.text.split('=')[0]} to env`, first.line);
  }
}

/** v1 fills once, v2 again and again; a recipe where that matters is refused. */
function refuseNested(words: readonly string[], defaults: Values, say: Say): void {
  for (const name of reachable(words, {})) {
    const value = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    const inner =
      typeof value === 'string' ? placeholdersIn(value).find((found) => Object.hasOwn(defaults, found)) : undefined;
    if (inner === undefined) continue;
    say(['defaults', name], `${name} holds {${inner}}, which recipe_version 1 does not fill`, 'Write the value out');
  }
}
