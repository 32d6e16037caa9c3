import { containersIn, type OurContainer } from '../../cluster/probes/containers.ts';
import { type ForeignLook, foreignIn, foreignPrograms } from '../../cluster/probes/foreign.ts';
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

/** vLLM's own, of recipes that name none. */
const USUAL_PORT = 8_000;

interface NodeSeen {
  /** As nvidia-smi writes it. */
  gpu: string | undefined;
  containers: OurContainer[];
  others: ForeignLook;
}

/** What status.sh says of a node: its GPU, the realm's containers, and what others run there. */
export async function readStatus(look: NodeLook): Promise<NodeSeen> {
  const sections = await readProgram(look, foreignPrograms('status.sh'), []);
  const { name } = look.node;
  const { ray_port: rayPort, tolerates } = look.cluster;
  return {
    gpu: gpuIn(sections),
    containers: containersIn(sections, name),
    others: foreignIn(sections, { node: name, ports: [USUAL_PORT, rayPort], tolerates }),
  };
}

/** Only the realm's containers, and with `gpu` its line as nvidia-smi writes it: for looks that come every few seconds. */
export async function readServing(
  look: NodeLook,
  { gpu }: { gpu: boolean },
): Promise<Pick<NodeSeen, 'gpu' | 'containers'>> {
  const sections = await readProgram(
    look,
    programText('node-facts.sh') + programText('serving.sh'),
    gpu ? ['gpu'] : [],
  );
  return { gpu: gpuIn(sections), containers: containersIn(sections, look.node.name) };
}

/** Nothing, where it was not asked or could not say. */
function gpuIn(sections: Sections): string | undefined {
  const { exitCode, lines } = sections.get('gpu');
  return exitCode === 0 ? lines[0] : undefined;
}

/** The realm's containers on a node, with the record of each live engine, and the highest number in its run folders. */
export async function readRecords(look: NodeLook): Promise<{ containers: OurContainer[]; highest: number }> {
  const sections = await readProgram(look, programText('node-facts.sh') + programText('containers.sh'), ['records']);
  const [highest] = sections.get('highest-number').lines;
  return { containers: containersIn(sections, look.node.name), highest: Number(highest) || 0 };
}

export function stateFolder({ paths }: Cluster, node: Node): string {
  return node.paths?.state ?? paths.state;
}

// One try: a look answers within its limit or says what it could not read.
async function readProgram(
  { realm, cluster, node, transport, signal, limitMs }: NodeLook,
  stdin: string,
  more: readonly string[],
): Promise<Sections> {
  const command = run('sh', '-s', '--', realm, stateFolder(cluster, node), ...more);
  const { stdout } = await transport.exec(node.name, command, { signal, limitMs, stdin });
  return parseSections(stdout);
}
