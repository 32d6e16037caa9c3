import type { Timeouts } from '../../config/sparkops-file.ts';
import type { Limits } from '../plan.ts';

export function limitsFrom(timeouts: Timeouts): Limits {
  return {
    connectMs: timeouts.connect,
    readMs: timeouts.read,
    changeMs: timeouts.change,
    raiseMs: timeouts.raise,
    undoMs: timeouts.undo,
    silenceMs: timeouts.load_silence,
    drainMs: timeouts.drain,
    phases: {
      preflight: timeouts.preflight,
      approval: timeouts.approval,
      'stop-previous': timeouts.stop_previous,
      'start-head': timeouts.start_head,
      'start-workers': timeouts.start_workers,
      'verify-ray': timeouts.verify_ray,
      serve: timeouts.serve,
      load: timeouts.load,
      smoke: timeouts.smoke,
      stop: timeouts.stop,
      'stop-foreign': timeouts.stop_foreign,
    },
  };
}
