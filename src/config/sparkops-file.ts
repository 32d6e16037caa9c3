import { z } from 'zod';
import { Duration } from './duration.ts';
import { Name } from './cluster-file.ts';

const limit = (text: string) => Duration.prefault(text);

/** All limits, with the design's defaults. `plan` shows the ones of a deploy. */
export const Timeouts = z.strictObject({
  connect: limit('10s'),
  read: limit('30s'),
  /** A changing command: 30 s for the node's lock, 60 + 5 s for itself. */
  change: limit('95s'),
  raise: limit('70s'),
  undo: limit('60s'),
  preflight: limit('20s'),
  stop_previous: limit('120s'),
  start_head: limit('120s'),
  start_workers: limit('120s'),
  verify_ray: limit('30s'),
  serve: limit('15s'),
  load: limit('45m'),
  /** The longest time without a progress line while loading. */
  load_silence: limit('10m'),
  smoke: limit('180s'),
  stop: limit('180s'),
  look: limit('20s'),
  /** Life of a lease; renewed after a third of it. */
  lease: limit('15s'),
  /** Life of a queue job's lock, and how often stalled ones are looked for. */
  job_lock: limit('15s'),
  stall_check: limit('5s'),
  reconcile: limit('10s'),
});
export type Timeouts = z.infer<typeof Timeouts>;

export const SparkopsFile = z.strictObject({
  /** The realm: this sparkops. Stands in labels and in the nodes' files. */
  name: Name,
  /** Slack user ids that may change something; everyone else looks. */
  operators: z.array(z.string().regex(/^[UW][A-Z0-9]+$/, 'must be a user id such as U0123ABCD')).default([]),
  timeouts: Timeouts.prefault({}),
});
export type SparkopsFile = z.infer<typeof SparkopsFile>;
