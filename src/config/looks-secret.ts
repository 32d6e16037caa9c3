const PREFIX = /^(hf_|sk-|xox[a-z]?-|xapp-|nvapi-|gh[opsu]_|github_pat_|glpat-)/i;
const INSIDE =
  /(?<![A-Za-z0-9_-])(hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|(xox[a-z]|xapp)-[A-Za-z0-9-]{10,}|nvapi-[\w-]{20,}|gh[opsu]_\w{30,}|github_pat_\w{20,})/;

/** True for a word from chat that may be a token: better refused once too often than stored. */
export function looksSecret(word: string): boolean {
  return PREFIX.test(word.trim()) || holdsSecret(word);
}

/** True for text from a file that holds what can only be a token. */
export function holdsSecret(text: string): boolean {
  return INSIDE.test(text);
}
