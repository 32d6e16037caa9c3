import { OperatorError } from '../errors.ts';
import { saidBack } from './said-back.ts';

/** One word of a command. A quoted one is a value, never a keyword, a flag or an override. */
export interface Word {
  text: string;
  quoted: boolean;
}

/** In bytes of UTF-8. */
const LONGEST = 8_192;

const QUOTE = '"';
const APOSTROPHE = "'";

/** What a person typed, or a phone made of it, as words: Slack's markup and escapes undone, quotes grouped, dashes and spaces plain. */
export function toWords(typed: string): readonly Word[] {
  if (Buffer.byteLength(typed) > LONGEST) {
    throw new OperatorError('usage', 'That is more than 8 KB, too long for a command.', { hint: 'Type it shorter.' });
  }
  return split(plainCharacters(withoutMarkup(typed)));
}

/** Slack sends `<http://x|x>` for a link, `<@U1|name>` for a person, and `&lt;` for a typed `<`. */
function withoutMarkup(text: string): string {
  return text
    .replace(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g, (_, sigil: string, target: string, label?: string) => {
      if (sigil === '') return label || target.replace(/^mailto:/, '');
      // Of a person the id stays: names are not unique.
      const name = sigil === '@' && target !== '' ? target : label || target;
      return `${sigil === '#' ? '#' : '@'}${name.replace(/^[#@]/, '')}`;
    })
    .replace(/&(amp|lt|gt);/g, (_, name: 'amp' | 'lt' | 'gt') => ({ amp: '&', lt: '<', gt: '>' })[name]);
}

function plainCharacters(text: string): string {
  return (
    text
      // Full-width forms of a Japanese or Chinese keyboard.
      .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0))
      .replace(/[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/gu, '')
      // oxlint-disable-next-line no-control-regex -- control characters separate words like any space
      .replace(/[\u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g, ' ')
      .replace(/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb`]/g, QUOTE)
      .replace(/[\u2018\u2019\u201a\u201b\u2032\u2039\u203a]/g, APOSTROPHE)
      .replace(/[\u2010\u2011\ufe63]/g, '-')
  );
}

/** A quote opens at a word's start or after `=`, so that an apostrophe inside a word stays one. */
function split(text: string): readonly Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ') {
      at++;
      continue;
    }
    const start = at;
    const quoted = isQuote(text[at]);
    let word = '';
    while (at < text.length && text[at] !== ' ') {
      const character = text[at] ?? '';
      if (isQuote(character) && (at === start || text[at - 1] === '=')) {
        const end = closing(text, at);
        word += text.slice(at + 1, end);
        at = end + 1;
      } else {
        word += character;
        at++;
      }
    }
    const dashed = quoted ? word : plainDashes(word);
    if (quoted || dashed !== '--') words.push({ text: dashed, quoted });
  }
  return words;
}

function isQuote(character: string | undefined): boolean {
  return character === QUOTE || character === APOSTROPHE;
}

/** An apostrophe closes only at a word's end: `'Maya's run'` is one word. */
function closing(text: string, opening: number): number {
  const quote = text[opening] ?? '';
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] !== quote) continue;
    if (quote === QUOTE || at + 1 === text.length || text[at + 1] === ' ') return at;
  }
  throw new OperatorError('usage', `The quote before "${saidBack(text.slice(opening + 1), 20)}" is never closed.`, {
    hint: 'Close it, or leave it out.',
  });
}

/** Phones make one long dash of two short ones. */
function plainDashes(word: string): string {
  return word.replace(/^[\u2012-\u2015\u2212\ufe58-][-\u2012-\u2015\u2212\ufe58]*/, (run) =>
    run === '-' ? '-' : '--',
  );
}
