import { OperatorError } from '../../errors.ts';
import { execPython } from '../docker.ts';
import type { Finding } from '../finding.ts';
import type { Machine } from '../machine.ts';
import type { Plan, PlanNode } from '../plan.ts';
import { programText } from '../remote/programs.ts';

/** As ray-nodes.py prints it. Dead ones stay in Ray's list. */
export interface RayNode {
  address: string;
  hostname: string;
  alive: boolean;
  gpu: number;
  head: boolean;
}

export type RayVerdict =
  | { state: 'complete'; saw: string }
  /** Waiting can't change it. */
  | { state: 'wrong'; finding: Finding }
  | { state: 'waiting'; missing: readonly PlanNode[]; lines: readonly string[] };

/** One process in the head's container looks until it's complete, wrong, or the limit has passed. */
export async function pollRayNodes(
  head: Machine,
  plan: Plan,
  { limitMs, onChange }: { limitMs: number; onChange?: (nodes: readonly RayNode[]) => void },
): Promise<RayVerdict> {
  const { name } = plan.nodes[0].container;
  const expected = plan.nodes.map((node) => node.fabric.address).join(',');
  const seconds = Math.max(1, Math.floor(limitMs / 1000));
  const command = execPython(name, 'ray-nodes', '--expect', expected, '--limit', seconds);
  let nodes: readonly RayNode[] = [];
  const result = await head.read(command, {
    stdin: programText('ray-nodes.py'),
    limitMs: limitMs + 5_000,
    onLine: (line) => {
      if (!line.startsWith('[')) return;
      nodes = JSON.parse(line) as RayNode[];
      onChange?.(nodes);
    },
  });
  if (result.exitCode !== 0 && nodes.length === 0) {
    throw new OperatorError('command-failed', `Ray on ${head.node.name} can't be asked for its nodes.`, {
      hint: 'sparkops plan prints the docker command, to be tried by hand.',
      lines: result.stderr.trim().split('\n').slice(-10),
      node: head.node.name,
      short: `Ray on ${head.node.name} doesn't answer`,
    });
  }
  return judgeRayNodes(nodes, plan);
}

/** Exactly the plan's fabric addresses, each with a GPU. A cluster that looks healthy at other addresses is not. */
export function judgeRayNodes(nodes: readonly RayNode[], plan: Plan): RayVerdict {
  const alive = nodes.filter((node) => node.alive);
  const lines = nodes.map(describe);
  const expected = new Set(plan.nodes.map((node) => node.fabric.address));
  const missing = plan.nodes.filter((node) => !alive.some(({ address }) => address === node.fabric.address));

  const stranger = alive.find(({ address }) => !expected.has(address));
  if (stranger) return { state: 'wrong', finding: { ...strangerFinding(stranger, missing, plan), lines } };
  for (const node of plan.nodes) {
    const registered = alive.find(({ address }) => address === node.fabric.address);
    if (registered && registered.gpu < 1) return { state: 'wrong', finding: { ...noGpuFinding(node), lines } };
  }
  if (missing.length > 0) return { state: 'waiting', missing, lines };
  return { state: 'complete', saw: plan.nodes.map((node) => `${node.name} ${node.fabric.address}, 1 GPU`).join('; ') };
}

function describe({ address, hostname, alive, gpu, head }: RayNode): string {
  return `${address} (${hostname}${head ? ', head' : ''}): ${alive ? `alive, GPU ${gpu}` : 'dead'}`;
}

function strangerFinding(stranger: RayNode, missing: readonly PlanNode[], plan: Plan): Omit<Finding, 'lines'> {
  const node = nodeOf(stranger, missing);
  if (!node) {
    const gcs = `${plan.nodes[0].fabric.address}:${plan.rayPort}`;
    return {
      short: `${stranger.hostname} joined Ray uninvited`,
      text: `A node that is not in the plan joined Ray: ${stranger.hostname} at ${stranger.address}.`,
      remedy: `Stop the Ray on ${stranger.hostname} that joins ${gcs}, or give the cluster another ray_port.`,
    };
  }
  const kind = stranger.address === node.address ? ' (its management address)' : '';
  const wanted = node.fabric.address;
  return {
    node: node.name,
    short: `Ray on ${node.name} has the wrong address`,
    text: `${node.name} registered with Ray as ${stranger.address}${kind}, not ${wanted}: ${consequence(node, plan)}.`,
    remedy: `ray start on ${node.name} must take --node-ip-address ${wanted}: see whether a wrapper in the image drops it. sparkops plan prints the docker command, to be tried by hand.`,
  };
}

function consequence(node: PlanNode, plan: Plan): string {
  const fabricOnly = plan.nodes.filter((other) => other !== node && other.address === other.fabric.address);
  if (fabricOnly.length === 0)
    return `the engine asks Ray for a node at ${node.fabric.address} and would wait for ever`;
  const names = fabricOnly.map(({ name }) => name).join(' and ');
  return `${names} ${fabricOnly.length === 1 ? 'is' : 'are'} on the fabric only and can't connect there, so rendezvous would time out`;
}

/** By management address, by Ray's own mark of the head, by host name, or because only one is missing. */
function nodeOf(stranger: RayNode, missing: readonly PlanNode[]): PlanNode | undefined {
  return (
    missing.find((node) => node.address === stranger.address) ??
    missing.find((node) => stranger.head && node.role === 'head') ??
    missing.find((node) => node.name === stranger.hostname) ??
    (missing.length === 1 ? missing[0] : undefined)
  );
}

function noGpuFinding({ name, fabric, container }: PlanNode): Omit<Finding, 'lines'> {
  return {
    node: name,
    short: `Ray on ${name} sees no GPU`,
    text: `${name} registered with Ray as ${fabric.address} without a GPU: placing the model there would wait for ever.`,
    remedy: `On ${name}: docker run --rm --gpus all --entrypoint nvidia-smi ${container.image}. If it fails, look at the NVIDIA container toolkit and the driver.`,
  };
}
