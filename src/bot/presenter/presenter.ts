import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { RightsConfig } from '../../config/rights.ts';
import { SURFACE } from '../places.ts';
import type { Slack } from '../slack.ts';
import { within } from '../../within.ts';
import { createLanes } from './lanes.ts';
import { presentOne } from './present-one.ts';
import type { PresentJobs } from './presentation.ts';

export interface PresenterOptions {
  jobs: PresentJobs;
  slack: Slack;
  /** Who has which right, to mention who decides. */
  rights: () => Promise<RightsConfig>;
  log: Logger;
}

/** Finds what another process left behind, or what was announced while nobody heard it. */
const SWEEP_EVERY_MS = 5_000;
/** What is being sent to Slack when a stop comes has this long. */
const STOP_LIMIT_MS = 1_500;

/** Shows every deployment that was asked for in Slack: one card, its thread, its end. Any number of processes may run one. */
export function startPresenter({ jobs, slack, rights, log }: PresenterOptions): { stop: () => Promise<void> } {
  const lanes = createLanes(jobs);
  const stopping = new AbortController();
  // One listener for each deployment that is shown.
  setMaxListeners(0, stopping.signal);
  const active = new Map<string, { poke: () => void; done: Promise<void> }>();

  function ensure(uid: string): void {
    const known = active.get(uid);
    if (known) {
      known.poke();
      lanes.poke();
      return;
    }
    if (stopping.signal.aborted) return;
    const entry = { poke: () => {}, done: Promise.resolve() };
    active.set(uid, entry);
    const onPoke = (poke: () => void) => {
      entry.poke = poke;
    };
    entry.done = presentOne(uid, { jobs, slack, lanes, rights, log, stop: stopping.signal, onPoke })
      .catch((error: unknown) => log.error({ err: error, uid }, 'A deployment could not be shown; I try again'))
      .finally(() => active.delete(uid));
  }

  async function sweep(): Promise<void> {
    try {
      for (const uid of await jobs.unpresented(SURFACE)) ensure(uid);
    } catch (error) {
      log.warn({ err: error }, 'The store does not say what is to be shown; I try again');
    }
  }

  const forget = jobs.onChange(ensure);
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);
  void sweep();

  return {
    async stop() {
      clearInterval(timer);
      forget();
      stopping.abort();
      await within(STOP_LIMIT_MS, Promise.all([...active.values()].map(({ done }) => done)));
    },
  };
}
