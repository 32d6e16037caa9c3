import { z } from 'zod';
import { Approvals } from './approvals.ts';
import { Name } from './cluster-file.ts';
import { Duration } from './duration.ts';
import { ChannelCaps, Rights } from './rights.ts';

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
  /** One look at what would be interrupted; how long people have is in `approvals`. */
  approval: limit('60s'),
  /** How often a run that waits for an approval looks again. */
  approval_look: limit('30s'),
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
  /** How long a stop waits for running requests; 0: not at all. */
  drain: limit('60s'),
  stop_foreign: limit('180s'),
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
  rights: Rights.prefault({}),
  channel_caps: ChannelCaps.default({}),
  approvals: Approvals.prefault({}),
  /** Milliseconds for which the audit is kept. */
  audit_keep: Duration.prefault('180d'),
  /** The clock time at which a hold ends by itself, on the next working day in the zone of who holds. */
  hold_until: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day such as "18:00"')
    .default('18:00'),
  timeouts: Timeouts.prefault({}),
});
export type SparkopsFile = z.infer<typeof SparkopsFile>;
