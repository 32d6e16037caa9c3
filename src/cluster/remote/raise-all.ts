import { OperatorError } from '../../errors.ts';
import type { Finding } from '../finding.ts';
import type { Plan, PlanNode } from '../plan.ts';
import { backoff } from './backoff.ts';
import { raise, type About, type Raised } from './fence.ts';
import type { Grip } from './grip.ts';
import type { Transport } from './transport.ts';

export interface RaiseAllOptions {
  plan: Plan;
  transport: Transport;
  grip: Grip;
  about: About;
  signal: AbortSignal;
  /** How long a node that can't be reached is tried again. Default 3000. */
  patienceMs?: number;
}

export type AllRaised =
  /** With why each remaining node could not be raised, by node: none = the run may change things. */
  | { ok: true; problems: ReadonlyMap<string, Finding> }
  /** A node has seen a fence as high as ours, of another token: take one above `fence` and raise again. */
  | { ok: false; why: 'higher'; fence: number }
  /** The newest deployment that a node has seen; this one may not act there any more. */
  | { ok: false; why: 'newer'; node: string; number: number };

/** Raises the fence on every node of the plan, all at once. Rejects only with the signal's reason, or for a bug. */
export async function raiseAll(options: RaiseAllOptions): Promise<AllRaised> {
  const outcomes = await Promise.all(options.plan.nodes.map((node) => tryRaise(node, options)));
  const refused = outcomes.flatMap(({ node, raised }) => (raised && !raised.ok ? [{ node, ...raised }] : []));
  const [newest] = refused.filter((each) => each.why === 'newer').toSorted((one, other) => other.number - one.number);
  if (newest) return newest;
  const fences = refused.flatMap((each) => ('fence' in each ? [each.fence] : []));
  if (fences.length > 0) return { ok: false, why: 'higher', fence: Math.max(...fences) };
  const problems = new Map<string, Finding>();
  for (const { node, raised, error } of outcomes) {
    if (error) problems.set(node, findingOf(node, error));
    else if (raised && !raised.ok && raised.why === 'other-realm') problems.set(node, foreign(node, raised));
  }
  return { ok: true, problems };
}

interface Outcome {
  node: string;
  raised?: Raised;
  error?: OperatorError;
}

async function tryRaise({ name: node, paths }: PlanNode, options: RaiseAllOptions): Promise<Outcome> {
  const { plan, transport, grip, about, signal, patienceMs = 3_000 } = options;
  const began = performance.now();
  const wait = backoff();
  for (;;) {
    try {
      const limitMs = plan.limits.raiseMs;
      return { node, raised: await raise({ transport, node, state: paths.state, grip, about, signal, limitMs }) };
    } catch (error) {
      if (!(error instanceof OperatorError) || signal.aborted) throw error;
      const mayPass = error.code === 'unreachable' || error.code === 'outcome-unknown';
      if (!mayPass || performance.now() - began > patienceMs) return { node, error };
      await wait(signal);
    }
  }
}

function findingOf(node: string, { message, short, lines, hint }: OperatorError): Finding {
  return { text: message, ...(short !== undefined && { short }), node, lines, remedy: hint };
}

function foreign(node: string, { realm, renewedSecondsAgo }: Extract<Raised, { why: 'other-realm' }>): Finding {
  return {
    text: `${node} belongs to another sparkops, named ${realm}, which was at work there ${renewedSecondsAgo} s ago`,
    short: `${node} belongs to sparkops ${realm}`,
    node,
    lines: [],
    remedy: `Ask who runs ${realm}. Once it has been silent for 5 minutes, a deploy takes the node over by itself.`,
  };
}
