import type { Feed } from './feed.ts';

/**
 * Resolves with the predicate's first answer that isn't nothing. It is asked now, whenever something happens in Slack,
 * and once more at the limit.
 */
export function until<T>(
  feed: Feed,
  predicate: () => T,
  limitMs: number,
  scene: () => string,
): Promise<NonNullable<T>> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const stopListening = feed.listen(() => ask());

    function ask(): boolean {
      let answer: T;
      try {
        answer = predicate();
      } catch (error) {
        finish();
        reject(error);
        return true;
      }
      if (answer === undefined || answer === null || answer === false) return false;
      finish();
      resolve(answer);
      return true;
    }

    function finish(): void {
      clearTimeout(timer);
      stopListening();
    }

    if (ask()) return;
    timer = setTimeout(() => {
      if (ask()) return;
      finish();
      reject(new Error(`Nothing of it in ${limitMs} ms: ${predicate.toString()}\nLocal Slack shows:\n${scene()}`));
    }, limitMs);
  });
}
