import { OperatorError } from '../../../errors.ts';
import type { CheckRow, Finding } from '../../finding.ts';
import type { Machine } from '../../machine.ts';
import type { Plan } from '../../plan.ts';
import { withLimit } from '../../remote/limit.ts';
import { sortContainers } from '../belonging.ts';
import type { Forcible } from './check.ts';
import { CHECKS } from './checks.ts';
import { type NodeFacts, readNodeFacts } from './facts.ts';
import { type ImagePrograms, readImagePrograms } from './image-programs.ts';

export interface PreflightResult {
  rows: readonly CheckRow[];
  /** Of the image on the head. */
  imageDigest?: string;
}

export interface PreflightOptions {
  signal: AbortSignal;
  limitMs: number;
  /** Also starts a container of the image on each node, for an instant: for machines that may be changed. */
  tryImage?: boolean;
  /** What an admin passes, with a reason. Default: nothing. */
  forced?: ReadonlySet<Forcible>;
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
  const forced = options.forced ?? new Set();

  const rows = read.flatMap(({ machine, facts, programs, reach }) => {
    const { node } = machine;
    const judged = !facts
      ? []
      : CHECKS.flatMap(({ name, judge }) => {
          const other = node.role === 'head' ? undefined : head;
          const row = judge({ plan, node, facts, programs, head: other, belonging, complete, forced });
          return row ? [{ node: node.name, check: name, ...row }] : [];
        });
    return [...reach, ...judged];
  });
  const digest = head?.image?.repoDigests[0] ?? head?.image?.id;
  return { rows, ...(digest && { imageDigest: digest }) };
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
  { signal, limitMs, tryImage }: PreflightOptions,
): Promise<NodeRead> {
  const fence = fenceRows(machine);
  // A node that could not be raised is likely away: no need to wait for it as long as for the others.
  const patienceMs = fence.length > 0 ? limitMs / 2 : limitMs;
  const late = () => silent(machine, patienceMs);
  try {
    const [facts, programs] = await withLimit({ signal, limitMs: patienceMs, late }, () =>
      Promise.all([readNodeFacts(machine, plan), tryImage ? readImagePrograms(machine, plan) : undefined]),
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
