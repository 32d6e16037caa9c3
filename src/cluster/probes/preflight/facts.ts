import type { Machine } from '../../machine.ts';
import type { Plan } from '../../plan.ts';
import { run } from '../../remote/command.ts';
import { containersIn, type OurContainer } from '../containers.ts';
import { type ForeignLook, foreignIn, foreignPrograms } from '../foreign.ts';
import { parseListeners } from '../listeners.ts';
import { parseSections, type Section, type Sections } from '../sections.ts';

export interface ImageFacts {
  id: string;
  /** Of the registry; empty for an image that was built on the node. */
  repoDigests: readonly string[];
  entrypoint: readonly string[];
  command: readonly string[];
}

/** What a node looks like before a launch. Raw: nothing in it is judged. */
export interface NodeFacts {
  docker: { version: string; problem: readonly string[] };
  image: ImageFacts | undefined;
  /** As `nvidia-smi -L` prints them. */
  gpus: readonly string[];
  gpuProblem: readonly string[];
  /** Interface and IPv4 address. */
  addresses: readonly { interface: string; address: string }[];
  listeners: readonly string[];
  missingTools: readonly string[];
  containers: readonly OurContainer[];
  /** What others run there. */
  others: ForeignLook;
  /** Ids of the images of the realm's containers, as far as they are still there. */
  keptImages: readonly string[];
  /** Where our files and the models are. Read only where containers of the realm are. */
  disks: readonly Disk[];
}

interface Disk {
  /** Where it is mounted. */
  at: string;
  freeBytes: number;
}

/** What it is looked at for, and what others may run beside it. */
interface LookedFor extends Pick<Plan, 'realm' | 'image' | 'port' | 'rayPort'> {
  tolerates?: readonly string[];
}

/** One command for all of it. */
export async function readNodeFacts(machine: Machine, about: LookedFor): Promise<NodeFacts> {
  const { name, paths } = machine.node;
  const { stdout } = await machine.read(run('sh', '-s', '--', about.realm, paths.state, about.image, paths.models), {
    stdin: foreignPrograms('preflight.sh'),
  });
  return factsFrom(parseSections(stdout), name, about);
}

function factsFrom(sections: Sections, node: string, { port, rayPort, tolerates = [] }: LookedFor): NodeFacts {
  const docker = sections.get('docker');
  const gpus = sections.get('gpus');
  return {
    docker: {
      version: docker.exitCode === 0 ? (docker.lines.at(-1) ?? '') : '',
      problem: docker.exitCode === 0 ? [] : docker.lines,
    },
    image: imageFrom(sections.get('image')),
    gpus: gpus.exitCode === 0 ? gpus.lines.filter((line) => line.startsWith('GPU ')) : [],
    gpuProblem: gpus.lines,
    addresses: sections.get('addresses').lines.flatMap((line) => {
      const [, name, address] = /^\d+:\s+([^\s@]+)\S*\s+inet\s+([\d.]+)/.exec(line) ?? [];
      return name !== undefined && address !== undefined ? [{ interface: name, address }] : [];
    }),
    listeners: parseListeners(sections.get('listeners').lines),
    missingTools: sections.all
      .filter(({ name, exitCode }) => name.startsWith('tool ') && exitCode !== 0)
      .map(({ name }) => name.slice('tool '.length)),
    // Without Docker there is one finding to show, and it is Docker.
    containers: docker.exitCode === 0 ? containersIn(sections, node) : [],
    others: foreignIn(sections, { node, ports: [port, rayPort], tolerates }),
    keptImages: sections.all
      .filter(({ name, exitCode }) => name.startsWith('kept ') && exitCode === 0)
      .map(({ name }) => name.slice('kept '.length)),
    disks: sections.get('disk').lines.flatMap(diskIn),
  };
}

/** Of `df -Pk`: "/dev/nvme0n1p2 3844510472 912345 3648797736 1% /". */
function diskIn(line: string): Disk[] {
  const [, free, at] = /^\S+ +\d+ +\d+ +(\d+) +\d+% +(\/.*)$/.exec(line) ?? [];
  return free === undefined || at === undefined ? [] : [{ at, freeBytes: Number(free) * 1024 }];
}

function imageFrom({ lines, exitCode }: Section): ImageFacts | undefined {
  const json = lines.find((line) => line.startsWith('{'));
  if (exitCode !== 0 || json === undefined) return undefined;
  const image = JSON.parse(json) as {
    Id?: string;
    RepoDigests?: string[] | null;
    Config?: { Entrypoint?: string[] | null; Cmd?: string[] | null };
  };
  return {
    id: image.Id ?? '',
    repoDigests: image.RepoDigests ?? [],
    entrypoint: image.Config?.Entrypoint ?? [],
    command: image.Config?.Cmd ?? [],
  };
}
