import type { Value } from '../recipe-file.ts';

const PLACEHOLDER = /\{([A-Za-z_]\w*)\}/g;

/** Names in `{name}`, in order. Other braces (JSON) are text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/** Replaces `{name}` by its value, also inside values; the names that `values` doesn't have stay as they are. */
export function fill(text: string, values: Readonly<Record<string, Value>>, depth = 0): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return whole;
    return typeof value === 'string' && depth < 10 ? fill(value, values, depth + 1) : String(value);
  });
}

/** All names that the texts reach through values, themselves included. */
export function reachable(texts: Iterable<string>, values: Readonly<Record<string, Value>>): Set<string> {
  const found = new Set<string>();
  const waiting = [...texts];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const name of placeholdersIn(text)) {
      if (found.has(name)) continue;
      found.add(name);
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof value === 'string') waiting.push(value);
    }
  }
  return found;
}

/** A name whose value holds itself, directly or through others. */
export function circular(values: Readonly<Record<string, Value>>): string | undefined {
  return Object.keys(values).find((name) => {
    const value = values[name];
    return typeof value === 'string' && reachable([value], values).has(name);
  });
}

export interface Unescaped {
  text: string;
  /** Names in `{name}` that are to be filled. */
  names: string[];
  /** Names that stand in braces as text: a later filling must not take them for placeholders. */
  literal: string[];
}

/**
 * Python's str.format: `{{` and `}}` are braces, `{name}` a placeholder, all else an error. With `lenient` (sparkrun)
 * a brace that does neither is text.
 */
export function unescapeBraces(source: string, { lenient }: { lenient: boolean }): Unescaped | { bad: string } {
  const names: string[] = [];
  let text = '';
  let withoutNames = '';
  for (let at = 0; at < source.length;) {
    const two = source.slice(at, at + 2);
    const named = /^\{([A-Za-z_]\w*)\}/.exec(source.slice(at));
    const doubled = two === '{{' || two === '}}';
    if (!doubled && named) {
      names.push(named[1] ?? '');
      text += named[0];
      withoutNames += ' ';
      at += named[0].length;
      continue;
    }
    const char = source.charAt(at);
    if (!doubled && !lenient && (char === '{' || char === '}')) return { bad: source.slice(at, at + 20) };
    text += char;
    withoutNames += char;
    at += doubled ? 2 : 1;
  }
  return { text, names, literal: placeholdersIn(withoutNames) };
}
