import { setTimeout as delay } from 'node:timers/promises';

export interface Hold {
  /** Resolves when the command stands there. */
  reached: Promise<void>;
  /** Lets it start, also when its connection has gone. */
  release: () => void;
}

const INPUT_LIMIT_MS = 500;

interface Waiting {
  node: string;
  pattern: string | RegExp;
  left: number;
  reach: () => void;
  released: Promise<void>;
}

/** Commands that wait before they start, so that a test can act at that moment. */
export function makeHolds(): {
  hold: (node: string, pattern: string | RegExp, nth?: number) => Hold;
  pass: (node: string, text: string, inputIsWhole: Promise<void>) => Promise<void>;
} {
  const all = new Set<Waiting>();

  /** The nth command on `node` whose text matches, counted from now. */
  function hold(node: string, pattern: string | RegExp, nth = 1): Hold {
    let reach = () => undefined as void;
    let release = () => undefined as void;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const waiting = { node, pattern, left: nth, reach, released };
    all.add(waiting);
    return {
      reached,
      release: () => {
        all.delete(waiting);
        release();
      },
    };
  }

  async function pass(node: string, text: string, inputIsWhole: Promise<void>): Promise<void> {
    for (const waiting of all) {
      if (waiting.node !== node || !matches(waiting.pattern, text)) continue;
      waiting.left -= 1;
      if (waiting.left !== 0) continue;
      // With its input here, the command no longer needs its sender.
      await Promise.race([inputIsWhole, delay(INPUT_LIMIT_MS)]);
      waiting.reach();
      await waiting.released;
    }
  }

  return { hold, pass };
}

function matches(pattern: string | RegExp, text: string): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0;
}
