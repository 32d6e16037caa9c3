import { containersIn, type OurContainer } from '../../cluster/probes/containers.ts';
import { parseSections, type Sections } from '../../cluster/probes/sections.ts';
import { run } from '../../cluster/remote/command.ts';
import { programText } from '../../cluster/remote/programs.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import type { Cluster, Node } from '../../config/cluster-file.ts';

export interface NodeLook {
  realm: string;
  cluster: Cluster;
  node: Node;
  transport: Transport;
  signal: AbortSignal;
  limitMs: number;
}

/** What status.sh says of a node: its GPU, as nvidia-smi writes it, and the realm's containers. */
export async function readStatus(look: NodeLook): Promise<{ gpu: string | undefined; containers: OurContainer[] }> {
  const sections = await readProgram(look, 'status.sh', []);
  const gpu = sections.get('gpu');
  return { gpu: gpu.exitCode === 0 ? gpu.lines[0] : undefined, containers: containersIn(sections, look.node.name) };
}

/** The realm's containers on a node, with the record of each live engine, and the highest number in its run folders. */
export async function readRecords(look: NodeLook): Promise<{ containers: OurContainer[]; highest: number }> {
  const sections = await readProgram(look, 'containers.sh', ['records']);
  const [highest] = sections.get('highest-number').lines;
  return { containers: containersIn(sections, look.node.name), highest: Number(highest) || 0 };
}

export function stateFolder({ paths }: Cluster, node: Node): string {
  return node.paths?.state ?? paths.state;
}

// One try: a look answers within its limit or says what it could not read.
async function readProgram(
  { realm, cluster, node, transport, signal, limitMs }: NodeLook,
  program: string,
  more: readonly string[],
): Promise<Sections> {
  const command = run('sh', '-s', '--', realm, stateFolder(cluster, node), ...more);
  const stdin = programText('node-facts.sh') + programText(program);
  const { stdout } = await transport.exec(node.name, command, { signal, limitMs, stdin });
  return parseSections(stdout);
}
