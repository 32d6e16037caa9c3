import { within } from '../within.ts';

interface RememberOptions<T> {
  /** Milliseconds in which an answer is used without asking again. */
  freshMs: number;
  /** Milliseconds after which it is used no more, however the asking goes. */
  staleMs: number;
  /** How long somebody waits for an answer; the request itself goes on. */
  waitMs: number;
  now: () => number;
  ask: (key: string) => Promise<T>;
}

interface Answer<T> {
  value: T;
  at: number;
}

/** Asks once for all who want to know the same. Rejects when there is no answer, or only one that is too old. */
export function remembered<T>({ freshMs, staleMs, waitMs, now, ask }: RememberOptions<T>): (key: string) => Promise<T> {
  const answers = new Map<string, Answer<T>>();
  const asking = new Map<string, Promise<Answer<T>>>();

  async function askNow(key: string): Promise<Answer<T>> {
    const at = now();
    const answer = { value: await ask(key), at };
    answers.set(key, answer);
    return answer;
  }

  function askOnce(key: string): Promise<Answer<T>> {
    const running = asking.get(key) ?? askNow(key).finally(() => asking.delete(key));
    asking.set(key, running);
    return running;
  }

  return async (key) => {
    const known = answers.get(key);
    if (known && now() - known.at < freshMs) return known.value;
    try {
      const answer = await within(waitMs, askOnce(key));
      if (answer) return answer.value;
      throw new Error(`no answer within ${waitMs} ms`);
    } catch (error) {
      if (known && now() - known.at < staleMs) return known.value;
      throw error;
    }
  };
}
