import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../cluster/finding.ts';
import type { Plan } from '../../cluster/plan.ts';
import type { About } from '../../cluster/remote/fence.ts';
import { raiseAll } from '../../cluster/remote/raise-all.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import { OperatorError } from '../../errors.ts';
import type { Lease } from '../lease.ts';

export interface RaiseFences {
  plan: Plan;
  transport: Transport;
  lease: Lease;
  about: About;
  signal: AbortSignal;
}

/** A node that has seen more than Redis remembers is told a higher fence, this many times. */
const AGAIN = 3;
const AGAIN_MS = 200;

/** Raises the fence on every node of the plan. Resolves with why it could not be raised, by node. */
export async function raiseFences({ lease, ...request }: RaiseFences): Promise<ReadonlyMap<string, Finding>> {
  const { plan, signal } = request;
  for (let again = 0; ; again += 1) {
    await lease.grip(signal);
    const { token, fence } = lease;
    const raised = await raiseAll({ ...request, grip: { realm: plan.realm, fence, token } });
    if (raised.ok) return raised.problems;
    if (again === AGAIN) return new Map(plan.nodes.map(({ name }) => [name, outbid(name, raised.fence)]));
    // All nodes again, also those that accepted: one fence for the whole deployment.
    await takeHigher(lease, raised.fence, signal);
  }
}

/** A fence above `seen`. Waits while Redis is away; rejects 'stale-fence' when the lease is lost, and with the signal's reason. */
export async function takeHigher(lease: Lease, seen: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    await lease.grip(signal);
    try {
      await lease.raiseFence(seen);
      return;
    } catch (error) {
      if (!(error instanceof OperatorError && error.code === 'store-away')) throw error;
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function outbid(node: string, fence: number): Finding {
  return {
    text: `${node}: the fence can't be raised, another process raises it as well (seen: ${fence})`,
    node,
    lines: [],
    remedy:
      'Is there another sparkops with the same name and a store of its own? Stop it, or give it its own name in sparkops.yaml.',
  };
}
