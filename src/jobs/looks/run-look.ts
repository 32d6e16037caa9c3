import type { Sample } from '../../cluster/probes/engine-state.ts';
import type { Secret } from '../../cluster/remote/secret.ts';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../errors.ts';
import type { Transports } from '../transports.ts';
import { lookAtFullLog } from './look-at-full-log.ts';
import { lookAtLogs } from './look-at-logs.ts';
import { lookAtChecks, lookAtSpeed } from './look-at-plan.ts';
import { lookAtStatus } from './look-at-status.ts';
import { BENCH_MS, type LookAnswer, type LookRequest } from './look-requests.ts';

export interface LookParts {
  config: () => Promise<Config>;
  transports: Transports;
  /** Of the worker: an engine may want its API key. */
  secret?: (name: string) => Secret | undefined;
  /** Keeps what a look at an engine saw. Never rejects. */
  leaveSample?: (uid: string, sample: Sample) => Promise<void>;
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
  const limitMs = request.kind === 'bench' ? BENCH_MS : config.sparkops.timeouts.look;
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(tooLong(limitMs)), limitMs);
  // A little less, so that a node which does not answer is told as such, beside what the others said.
  const looking = { ...parts, config: async () => config, signal: ending.signal, limitMs: limitMs * 0.9 };
  try {
    switch (request.kind) {
      case 'status':
        return await lookAtStatus(looking, request);
      case 'logs':
        return { kind: 'logs', excerpt: await lookAtLogs(looking, request) };
      case 'full-log': {
        const log = await lookAtFullLog(looking, request);
        return { kind: 'full-log', ...(log && { log }) };
      }
      case 'check':
        return { kind: 'check', rows: await lookAtChecks(looking, request.plan) };
      case 'bench':
        return { kind: 'bench', runs: await lookAtSpeed(looking, request.plan) };
    }
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(limitMs: number): OperatorError {
  return new OperatorError('timeout', `The nodes were not read within ${limitMs / 1_000} s.`, {
    hint: 'Try again; a node may be hanging.',
  });
}
