import { maskSecrets } from '../mask.ts';

/** The beginning of what a person typed, for an answer. Secrets go first: half of one would no longer be seen as one. */
export function saidBack(text: string, max = 40): string {
  return maskSecrets(text).slice(0, max);
}
