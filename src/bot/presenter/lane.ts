/** The smaller, the sooner. */
export type Urgency = 0 | 1 | 2;
export const END = 0;
export const PHASE = 1;
export const PROGRESS = 2;

export interface LaneOptions {
  /** A token of the bucket that all bots of the workspace share. */
  take: (reserve: number) => Promise<{ ok: true } | { ok: false; waitMs: number }>;
  /** Tokens left for what is more urgent. */
  reserves: Readonly<Record<Urgency, number>>;
}

interface Waiter {
  urgency: () => Urgency;
  go: () => void;
}

/** When the store does not answer. */
const STORE_AWAY_MS = 1_000;

/** Lets those who want to call Slack go one by one: the most urgent first, then who came first, as tokens come. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting = new Set<Waiter>();
  #pausedUntil = 0;
  #pumping = false;
  #wake: () => void = () => {};

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Resolves when it is one's turn. `urgency` is asked anew whenever a token may come. */
  async turn(urgency: () => Urgency, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let leave = (): void => {};
    const turn = new Promise<void>((resolve, reject) => {
      const waiter = { urgency, go: resolve };
      leave = () => {
        this.#waiting.delete(waiter);
        reject(new Error('Left the lane', { cause: signal.reason }));
      };
      this.#waiting.add(waiter);
    });
    signal.addEventListener('abort', leave, { once: true });
    this.poke();
    void this.#pump();
    try {
      await turn;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Slack said 429: nobody goes for a while. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
  }

  /** Someone may have become more urgent. */
  poke(): void {
    this.#wake();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    for (let first = this.#first(); first; first = this.#first()) {
      const waitMs = await this.#wait(first.urgency());
      if (waitMs > 0) await this.#sleep(waitMs);
      else this.#letGo(this.#first());
    }
    this.#pumping = false;
  }

  async #wait(urgency: Urgency): Promise<number> {
    const paused = this.#pausedUntil - performance.now();
    if (paused > 0) return paused;
    const answer = await this.#options
      .take(this.#options.reserves[urgency])
      .catch(() => ({ ok: false as const, waitMs: STORE_AWAY_MS }));
    return answer.ok ? 0 : Math.max(1, answer.waitMs);
  }

  #first(): Waiter | undefined {
    let first: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (!first || waiter.urgency() < first.urgency()) first = waiter;
    }
    return first;
  }

  #letGo(waiter: Waiter | undefined): void {
    if (!waiter) return;
    this.#waiting.delete(waiter);
    waiter.go();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
