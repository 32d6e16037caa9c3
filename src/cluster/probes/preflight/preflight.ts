import { OperatorError } from '../../../errors.ts';
import type { CheckRow, Finding } from '../../finding.ts';
import type { Machine } from '../../machine.ts';
import type { Plan } from '../../plan.ts';
import { withLimit } from '../../remote/limit.ts';
import { type Belonging, type OnNode, sortContainers } from '../belonging.ts';
import type { Forcible } from './check.ts';
import { CHECKS } from './checks.ts';
import { type NodeFacts, readNodeFacts } from './facts.ts';
import { type ImagePrograms, readImagePrograms } from './image-programs.ts';
import { planIn } from '../plan-on-node.ts';
import { waysBack, type FoundServing } from './way-back.ts';

export interface PreflightResult {
  rows: readonly CheckRow[];
  /** Of the image on the head. */
  imageDigest?: string;
  /** What serves, and whether it could be started again. Empty unless it may be replaced. */
  found: readonly FoundServing[];
}

export interface PreflightOptions {
  signal: AbortSignal;
  limitMs: number;
  /** Also starts a container of the image on each node, for an instant: for machines that may be changed. */
  tryImage?: boolean;
  /** People are asked before what serves is stopped: it is no obstacle. Default: it blocks. */
  replacing?: boolean;
  /** What an admin passes, with a reason. Default: nothing. */
  forced?: ReadonlySet<Forcible>;
  /** What others may run beside a model, as in the cluster's file. Default: nothing. */
  tolerates?: readonly string[];
}

/** All checks on all nodes, at once. A node that can't be read or changed is a row, never a rejection. */
export async function preflight(
  plan: Plan,
  machines: readonly Machine[],
  options: PreflightOptions,
): Promise<PreflightResult> {
  // While one node's fence is not raised, nothing may be changed on any.
  const tryImage = options.tryImage === true && machines.every(({ raiseProblem }) => !raiseProblem);
  const read = await Promise.all(machines.map((machine) => readNode(machine, plan, { ...options, tryImage })));
  const all = read.flatMap(({ machine, facts }) =>
    (facts?.containers ?? []).map((container) => ({ node: machine.node.name, container })),
  );
  const belonging = sortContainers(all, plan.uid);
  const head = read[0]?.facts;
  const complete = read.every(({ facts }) => facts !== undefined);
  const { forced = new Set(), replacing = false } = options;
  const servingPorts = portsOf(belonging, all);

  const rows = read.flatMap(({ machine, facts, programs, reach }) => {
    const { node } = machine;
    const judged = !facts
      ? []
      : CHECKS.flatMap(({ name, judge }) => {
          const other = node.role === 'head' ? undefined : head;
          const input = { plan, node, facts, programs, head: other, belonging, complete, forced };
          const row = judge({ ...input, replacing, servingPorts });
          return row ? [{ node: node.name, check: name, ...row }] : [];
        });
    return [...reach, ...judged];
  });
  const facts = new Map(read.flatMap((each) => (each.facts ? [[each.machine.node.name, each.facts] as const] : [])));
  const found = replacing ? waysBack({ serving: belonging.serving, all, facts }) : [];
  const digest = head?.image?.repoDigests[0] ?? head?.image?.id;
  return {
    rows: [...rows, ...found.map((each) => wayBackRow(plan, each))],
    found,
    ...(digest && { imageDigest: digest }),
  };
}

/** Undefined: not of all that serves. */
function portsOf({ serving }: Belonging, all: readonly OnNode[]): number[] | undefined {
  const ports = serving.map(({ uid }) => {
    const plan = planIn(all.flatMap(({ container }) => (container.uid === uid ? container : [])));
    return plan && [plan.port, plan.rayPort];
  });
  return ports.includes(undefined) ? undefined : ports.flatMap((each) => each ?? []);
}

function wayBackRow({ nodes: [head] }: Plan, { recipe, number, wayBack: { proven, text } }: FoundServing): CheckRow {
  const named = `${recipe} (#${number})`;
  return proven
    ? { node: head.name, check: 'way back', state: 'ok', text: `${named} could be started again: ${text}` }
    : {
        node: head.name,
        check: 'way back',
        state: 'warning',
        text: `${named} may not come back once it is stopped: ${text}`,
        remedy: 'Mend that first, or say in the request that nobody needs it any more.',
      };
}

interface NodeRead {
  machine: Machine;
  facts?: NodeFacts;
  programs?: ImagePrograms | undefined;
  reach: readonly CheckRow[];
}

async function readNode(
  machine: Machine,
  plan: Plan,
  { signal, limitMs, tryImage, tolerates = [] }: PreflightOptions,
): Promise<NodeRead> {
  const fence = fenceRows(machine);
  // A node that could not be raised is likely away: no need to wait for it as long as for the others.
  const patienceMs = fence.length > 0 ? limitMs / 2 : limitMs;
  const late = () => silent(machine, patienceMs);
  try {
    const [facts, programs] = await withLimit({ signal, limitMs: patienceMs, late }, () =>
      Promise.all([
        readNodeFacts(machine, { ...plan, tolerates }),
        tryImage ? readImagePrograms(machine, plan) : undefined,
      ]),
    );
    return { machine, facts, programs, reach: fence.length > 0 ? fence : [reached(machine)] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError) || error.code === 'stale-fence') throw error;
    return { machine, reach: fence.length > 0 ? fence : [unread(machine, error)] };
  }
}

function silent({ node }: Machine, limitMs: number): OperatorError {
  return new OperatorError('timeout', `${node.name} did not answer within ${Math.round(limitMs / 1000)} s.`, {
    hint: `Is it on? Does SSH work there (${node.address})?`,
    node: node.name,
    short: `${node.name} does not answer`,
  });
}

function unread({ node }: Machine, { message, short, hint, lines }: OperatorError): CheckRow {
  return failedReach(node.name, { text: message, ...(short !== undefined && { short }), remedy: hint, lines });
}

function reached({ node }: Machine): CheckRow {
  return { node: node.name, check: 'reach', state: 'ok', text: `${node.address} answers, and obeys this deployment` };
}

function fenceRows({ node, raiseProblem }: Machine): CheckRow[] {
  if (!raiseProblem) return [];
  return [failedReach(node.name, raiseProblem)];
}

function failedReach(node: string, { text, short, remedy, lines }: Finding): CheckRow {
  return { node, check: 'reach', state: 'failed', text, ...(short !== undefined && { short }), remedy, lines };
}
