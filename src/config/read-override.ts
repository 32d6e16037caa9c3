import { outOfLimits } from './recipe/read-defaults.ts';
import { NUMBERS } from './recipe/known-defaults.ts';
import type { Recipe, Value } from './recipe-file.ts';

type Read = { value: Value } | { wrong: string };

/** One value from chat, in the type of the recipe's default. What isn't understood is refused, never passed on. */
export function readOverride(recipe: Recipe, key: string, text: string): Read {
  const value = text.trim();
  const byDefault = recipe.defaults[key];
  if (value === '') return { wrong: `${key} has no value: write ${key}=${byDefault}.` };
  if (value.length > 200) return { wrong: `${key} may have at most 200 characters.` };
  if (typeof byDefault === 'boolean') return readSwitch(key, value);
  if (value === byDefault) return { value };
  const kind = numberKind(recipe, key);
  if (!kind) return readWord(key, value, String(byDefault));
  const read = kind === 'whole' ? readWhole(key, value) : readFraction(key, value);
  if ('wrong' in read) return read;
  if (Number(read.value) < 0 && !(Number(byDefault) < 0)) return { wrong: `${key} can't be below 0.` };
  const outside = outOfLimits(key, Number(read.value));
  if (outside) return { wrong: `${outside.wrong}. ${outside.right}.` };
  // A default in quotes stays text, so that the command has the same form.
  return typeof byDefault === 'string' ? { value: String(read.value) } : read;
}

function numberKind(recipe: Recipe, key: string): 'whole' | 'fraction' | undefined {
  const byDefault = recipe.defaults[key];
  const known = NUMBERS[key];
  if (known) return known.whole ? 'whole' : 'fraction';
  if (typeof byDefault === 'number') {
    return Number.isInteger(byDefault) && !recipe.decimals?.includes(key) ? 'whole' : 'fraction';
  }
  if (typeof byDefault !== 'string') return undefined;
  if (/^-?\d+$/.test(byDefault)) return 'whole';
  return /^-?\d+\.\d+$/.test(byDefault) ? 'fraction' : undefined;
}

/** vLLM's own reading of its flags: k and m are decimal and take fractions, K and M are binary and don't. */
const UNITS: Partial<Record<string, number>> = { k: 1000, m: 1_000_000, K: 1024, M: 1_048_576 };

function readWhole(key: string, text: string): Read {
  const plain = /^[+-]?\d{1,15}$/.test(text);
  if (plain) return { value: Number(text) };
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)([kmKM])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  const value = factor === undefined ? Number.NaN : Math.round(Number(digits) * factor * 1e6) / 1e6;
  const fits = Number.isInteger(value) && !(digits.includes('.') && (unit === 'K' || unit === 'M'));
  if (fits && key !== 'port') return { value };
  return { wrong: `${key} must be a whole number, not "${text}". Write 131072, 128k (128000) or 128K (131072).` };
}

function readFraction(key: string, text: string): Read {
  // 1,500 is a thousand and a half to some, and one and a half to others.
  const ambiguous = /^[+-]?[1-9]\d{0,2},\d{3}$/.test(text);
  if (!ambiguous && /^[+-]?\d{1,9}([.,]\d{1,9})?$/.test(text)) return { value: Number(text.replace(',', '.')) };
  return { wrong: `${key} must be a number, not "${text}". Write 0.8.` };
}

function readSwitch(key: string, text: string): Read {
  if (/^(true|yes|on|1)$/i.test(text)) return { value: true };
  if (/^(false|no|off|0)$/i.test(text)) return { value: false };
  return { wrong: `${key} must be true or false, not "${text}".` };
}

function readWord(key: string, text: string, byDefault: string): Read {
  if (/^\d+,\d+$|^\d+(\.\d+)?[kKmMgG%]$/.test(text)) {
    return { wrong: `${key} can't be "${text}": write the number out, with a point for a fraction.` };
  }
  if (/^[A-Za-z0-9][\w.,:/+@-]*$/.test(text) && !text.split('/').includes('..')) return { value: text };
  const why = /^[\w.,:/+@-]*$/.test(byDefault)
    ? 'Write letters, digits and . , : / + @ _ -, beginning with a letter or digit.'
    : 'Only the recipe can hold such a value.';
  return { wrong: `${key} can't be ${JSON.stringify(text.slice(0, 60))}. ${why}` };
}
