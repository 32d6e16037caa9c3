import type { Logger } from 'pino';
import type { Finding } from '../../cluster/finding.ts';
import type { Plan } from '../../cluster/plan.ts';
import { renewFence, type About } from '../../cluster/remote/fence.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import type { Lease } from '../lease.ts';
import { raiseFences, takeHigher } from './raise-fences.ts';

export interface Fences {
  /** Raises on every node, until that has worked once. Resolves with what stands against it; rejects as raiseFences does. */
  raise: (signal: AbortSignal) => Promise<readonly Finding[]>;
  /** The next raise takes a higher fence: a command that was sent, and has not begun by then, never will. */
  outdate: () => void;
  problems: () => ReadonlyMap<string, Finding>;
  /** Whether a raise has come to its end, on each node that could be raised. */
  raised: () => boolean;
  stop: () => void;
}

export interface FencesOptions {
  plan: Plan;
  transport: Transport;
  lease: Lease;
  about: About;
  /** Ends the renewing. */
  signal: AbortSignal;
  log: Logger;
}

/** The lines below a node's fence are for people: rewritten this often, and stale after five of these. */
const RENEW_MS = 60_000;

/** The fences of one run: raised when it first asks, their lines renewed as long as it lasts. */
export function keepFences(options: FencesOptions): Fences {
  const { plan, transport, lease, about, signal, log } = options;
  let problems: ReadonlyMap<string, Finding> = new Map();
  let raised = false;
  let outdated = false;
  let tried = false;

  async function renew(): Promise<void> {
    if (!raised || lease.state !== 'held') return;
    const grip = { realm: plan.realm, fence: lease.fence, token: lease.token };
    const limitMs = plan.limits.changeMs;
    const all = plan.nodes.map(({ name, paths }) =>
      renewFence({ transport, node: name, state: paths.state, grip, about, signal, limitMs }),
    );
    for (const { reason } of (await Promise.allSettled(all)).filter((each) => each.status === 'rejected')) {
      if (signal.aborted) return;
      log.warn({ err: reason }, 'The lines of a fence were not renewed; again in a minute');
      lease.check();
    }
  }

  const renewing = setInterval(() => void renew(), RENEW_MS);
  renewing.unref();

  return {
    outdate: () => {
      raised = false;
      outdated = true;
    },
    raise: async (raising) => {
      if (outdated) {
        await takeHigher(lease, lease.fence, raising);
        outdated = false;
      }
      if (!raised) {
        problems = await raiseFences({ plan, transport, lease, about, signal: raising });
        raised = problems.size === 0;
        tried = true;
      }
      return [...problems.values()];
    },
    problems: () => problems,
    raised: () => tried,
    stop: () => clearInterval(renewing),
  };
}
