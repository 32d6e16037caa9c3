import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors.ts';
import type { Transports } from '../transports.ts';
import { lookAtLogs } from './look-at-logs.ts';
import { lookAtStatus } from './look-at-status.ts';
import type { LookAnswer, LookRequest } from './look-requests.ts';

export interface LookParts {
  config: () => Promise<Config>;
  transports: Transports;
  now: () => Date;
}

/** One look under way. */
export interface Looking extends LookParts {
  signal: AbortSignal;
  limitMs: number;
}

/** Looks at the nodes now: commands that read, no lease, an answer or an OperatorError within `timeouts.look`. */
export async function runLook(parts: LookParts, request: LookRequest): Promise<LookAnswer> {
  const config = await parts.config();
  const limitMs = config.sparkops.timeouts.look;
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(tooLong(limitMs)), limitMs);
  // A little less, so that a node which does not answer is told as such, beside what the others said.
  const looking = { ...parts, config: async () => config, signal: ending.signal, limitMs: limitMs * 0.9 };
  try {
    if (request.kind === 'status') return await lookAtStatus(looking, request);
    return { kind: 'logs', excerpt: await lookAtLogs(looking, request) };
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(limitMs: number): OperatorError {
  return new OperatorError('timeout', `The nodes were not read within ${limitMs / 1_000} s.`, {
    hint: 'Try again; a node may be hanging.',
  });
}
