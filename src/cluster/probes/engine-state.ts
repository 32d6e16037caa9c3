import type { EngineMetrics } from './engine-metrics.ts';

/** What one look at an engine saw. */
export interface Sample {
  /** Milliseconds since 1970. */
  at: number;
  running: number;
  waiting: number;
  /** Generated since the engine's start. */
  tokens: number;
  /** Begun since the engine's start: ended and running ones. */
  requests: number;
  /** What the head's GPU draws. Left out where it doesn't say. */
  watts?: number;
}

/** `watts`: of the head's GPU. */
export function sampleOf(metrics: EngineMetrics, watts: number | undefined, at: number): Sample {
  const { running, waiting, generatedTokens, requests } = metrics;
  return { at, running, waiting, tokens: generatedTokens, requests, ...(watts !== undefined && { watts }) };
}

/** What a model is used for. A part that the samples don't cover is left out: unknown. */
export interface Usage {
  running?: number;
  waiting?: number;
  /** Milliseconds since 1970, as exact as looks are close. Left out: none since `since`. */
  lastRequestAt?: number;
  requestsLastHour?: number;
  /** What has begun since `since`, or in the last hour. */
  requests?: number;
  /** Since when it is watched, milliseconds since 1970. */
  since?: number;
}

/** A look that is older says nothing of now. */
const FRESH_MS = 90_000;
const HOUR_MS = 3_600_000;
/** An hour is covered also when the look before it was a little late. */
const SLACK_MS = 60_000;

/** `samples`: oldest first. `now` in milliseconds since 1970. */
export function usage(samples: readonly Sample[], now: number): Usage {
  const last = samples.at(-1);
  const [first] = samples;
  if (!first || !last) return {};
  const from = now - HOUR_MS;
  // Counters bridge a time in which nobody looked: the last look before the hour is where it begins.
  const base = samples.findLastIndex(({ at }) => at <= from + SLACK_MS);
  const counted = begun(samples.slice(Math.max(base, 0)));
  const lastRequestAt = samples.findLast((sample, at) => isAsked(sample, samples[at - 1]))?.at;
  const isFresh = now - last.at <= FRESH_MS;
  return {
    since: first.at,
    ...(isFresh && { running: last.running, waiting: last.waiting, requests: counted }),
    ...(isFresh && base >= 0 && { requestsLastHour: counted }),
    ...(lastRequestAt !== undefined && { lastRequestAt }),
  };
}

function begun(samples: readonly Sample[]): number {
  return samples.reduce((total, sample, at) => total + newIn(sample, samples[at - 1]), 0);
}

function newIn({ requests, tokens }: Sample, before: Sample | undefined): number {
  if (!before) return 0;
  // The engine was started anew in between.
  if (tokens < before.tokens) return requests;
  return Math.max(0, requests - before.requests);
}

function isAsked(sample: Sample, before: Sample | undefined): boolean {
  return sample.running > 0 || sample.waiting > 0 || newIn(sample, before) > 0;
}

/** down: no engine process. wedged: requests run, but nothing comes of them. unknown: nobody could look lately. */
export type EngineState = 'ok' | 'down' | 'wedged' | 'unknown';

const WEDGED_MS = 180_000;
const WEDGED_WATTS = 30;

/**
 * `isDown`: its process is gone for certain, as its container shows. Wedged is, over at least two looks and 3 minutes up
 * to now, requests running, a token counter that stands still, and a GPU below 30 W. `now` in milliseconds since 1970.
 */
export function engineState(samples: readonly Sample[], now: number, isDown = false): EngineState {
  if (isDown) return 'down';
  const last = samples.at(-1);
  if (!last || now - last.at > FRESH_MS) return 'unknown';
  const moved = samples.findLastIndex(({ running, tokens }) => running === 0 || tokens !== last.tokens);
  const still = samples.slice(moved + 1);
  const [since] = still;
  if (!since || last.at - since.at < WEDGED_MS) return 'ok';
  const drawn = still.flatMap(({ watts }) => watts ?? []);
  if (drawn.some((watts) => watts >= WEDGED_WATTS)) return 'ok';
  return drawn.length >= 2 ? 'wedged' : 'unknown';
}
