import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../cluster/finding.ts';
import type { Plan } from '../../cluster/plan.ts';
import type { About } from '../../cluster/remote/fence.ts';
import { type AllRaised, raiseAll } from '../../cluster/remote/raise-all.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import { OperatorError } from '../../errors.ts';
import type { Superseded } from '../decisions/decide-stop.ts';
import type { Lease } from '../lease.ts';
import { RunStopped } from '../stop-reason.ts';

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

/** Raises the fence on every node of the plan. Resolves with why it could not be raised, by node. Rejects with RunStopped 'superseded' when a node has seen a newer attempt. */
export async function raiseFences({ lease, ...request }: RaiseFences): Promise<ReadonlyMap<string, Finding>> {
  const { plan, about, signal } = request;
  for (let again = 0; ; again += 1) {
    await lease.grip(signal);
    const { token, fence } = lease;
    const raised = await raiseAll({ ...request, grip: { realm: plan.realm, fence, token } });
    if (raised.ok) return raised.problems;
    if (raised.why === 'newer') throw new RunStopped(superseded(plan, about, raised));
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

function superseded(
  { cluster }: Plan,
  { number }: About,
  { node, number: by }: Extract<AllRaised, { why: 'newer' }>,
): Superseded {
  const short = `#${by} has acted on ${node} since`;
  return {
    why: 'superseded',
    by,
    cause: {
      text: `${short}: this record of #${number} is older than the nodes, because the store was restored from before`,
      short,
      node,
      lines: [],
    },
    remedy: `See what serves now: status ${cluster}. Then deploy again.`,
  };
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
