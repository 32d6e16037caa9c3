import type { Deployment } from '../../jobs/deployment.ts';
import type { DeploymentEvent } from '../../jobs/events.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Standing } from './standing.ts';

/** A change that was announced while nobody heard it is seen after this time. */
const LOOK_EVERY_MS = 2_000;

/** The latest record and the events that the thread doesn't have yet. */
export class Watch {
  readonly #jobs: Pick<Jobs, 'find' | 'events'>;
  readonly #standing: Standing;
  readonly #listeners = new Set<() => void>();
  #last = '';
  #lastSeq = 0;
  #wake: () => void = () => {};
  #announced = false;
  record: Deployment;
  events: readonly DeploymentEvent[] = [];
  /** Grows with each change. */
  version = 1;

  constructor(jobs: Pick<Jobs, 'find' | 'events'>, standing: Standing, record: Deployment) {
    this.#jobs = jobs;
    this.#standing = standing;
    this.record = record;
  }

  /** Looks until aborted. `onError` hears of a store that is away; the next look tries again. */
  async keepLooking(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      this.#announced = false;
      await this.look().catch(onError);
      if (!this.#announced) await this.#sleep(signal);
    }
  }

  async look(): Promise<void> {
    const record = await this.#jobs.find(this.record.uid);
    if (!record) return;
    const events = await this.#jobs.events(record.uid, this.#standing.facts.seq);
    this.#lastSeq = Math.max(this.#lastSeq, events.at(-1)?.seq ?? 0);
    const now = JSON.stringify([record, this.#lastSeq]);
    this.record = record;
    this.events = events;
    if (now !== this.#last) this.bump();
    this.#last = now;
  }

  /** The store says that the record changed. */
  poke(): void {
    this.#announced = true;
    this.#wake();
  }

  /** Something else changed that others wait for. */
  bump(): void {
    this.version++;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves once there is something newer than version `seen`; rejects when aborted. */
  async changed(seen: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.version > seen) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.#listeners.delete(settle);
        signal.removeEventListener('abort', settle);
        if (signal.aborted) reject(new Error('Stopped waiting', { cause: signal.reason }));
        else resolve();
      };
      this.#listeners.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, LOOK_EVERY_MS);
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
