import { distance } from 'fastest-levenshtein';

/** The candidate that was most likely meant, or undefined when none is near. Case and `-` against `_` don't count. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = plain(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const away = swapped(typed, known) ? 1 : distance(typed, known);
    if (away < bestDistance && away <= Math.max(1, Math.floor(Math.max(typed.length, known.length) / 3))) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best ?? onlyPrefixed(typed, candidates);
}

/** `There is no recipe "qwen53". Did you mean qwen35?` */
export function noSuch(kind: string, word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  const sentence = `There is no ${kind} "${word.slice(0, 60)}".`;
  return meant === undefined ? sentence : `${sentence} Did you mean ${meant}?`;
}

/** `a, b and c`; at most `max` names, then how many more there are. */
export function listed(names: readonly string[], { word = 'and', max = 12 } = {}): string {
  if (names.length > max) return `${names.slice(0, max).join(', ')} and ${names.length - max} more`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}

/** Two neighbours changed places: one slip of the fingers, though two edits. */
function swapped(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return b.slice(0, at) + b.charAt(at + 1) + b.charAt(at) + b.slice(at + 2) === a;
}

function onlyPrefixed(typed: string, candidates: Iterable<string>): string | undefined {
  if (typed.length < 3) return undefined;
  const found = [...candidates].filter((candidate) => plain(candidate).startsWith(typed));
  return found.length === 1 ? found[0] : undefined;
}
