import { isTolerated } from '../../config/tolerates.ts';
import { programText } from '../remote/programs.ts';
import { parseProcesses, type GpuProcess } from './gpu-processes.ts';
import type { Section, Sections } from './sections.ts';

/** A container or a GPU process on a node that this sparkops did not start. */
export interface Foreign {
  node: string;
  kind: 'container' | 'process';
  /** Of a container; of a process its command's name. */
  name: string;
  /** Container id, or pid. */
  id: string;
  /** Of a process: clock ticks from the boot to its start. A pid that is used again has another. */
  start?: string;
  /** Of a container. */
  image?: string;
  /** Whose process it is; of a container the user inside. */
  user?: string;
  /** Of a process: it belongs to the user that sparkops logs in as, so it could be ended. */
  ours?: boolean;
  ports: readonly number[];
  /** Nobody but root sees whose a port is: these are open, and nothing else on the node accounts for them. */
  portsLikely?: boolean;
  /** Docker's restart policy; "no" or empty: it does not come back by itself. */
  restart?: string;
  /** ISO 8601 UTC. */
  since?: string;
  /** GPU memory in MiB. */
  gpuMemory?: number;
  /** "PID START" of each of a container's processes on the GPU. */
  gpuProcesses?: readonly string[];
  /** Of a process: the container it was started in, which has ended or is gone. */
  orphanOf?: string;
  /** Of another sparkops. */
  realm?: string;
  /** How many seconds ago that other sparkops renewed its fence on this node; left out when it has none there. */
  fenceAge?: number | 'unknown';
  /** The cluster's file says that it may run beside a model. */
  tolerated?: boolean;
}

export interface ForeignLook {
  foreign: readonly Foreign[];
  /** Why it is not known which containers others run. */
  problem?: string;
  /** Why it is not known what computes on the GPU. */
  gpuProblem?: string;
}

/** The functions that the programs of this look need, for standard input. */
export function foreignPrograms(program: string): string {
  return programText('node-facts.sh') + programText('foreign-facts.sh') + programText(program);
}

interface ForeignOptions {
  node: string;
  /** Containers that listen on one of these count, also without a GPU. */
  ports?: readonly number[];
  /** Ids of containers that count in any case, also one that has ended as long as Docker would start it again. */
  ids?: readonly string[];
  /** As in the cluster's file. Left out: nothing. */
  tolerates?: readonly string[];
}

/**
 * What others have launched on a node: their containers that use the GPU, listen on one of `ports` or belong to another
 * sparkops, and the processes on the GPU that are in no container. Tolerated is what `tolerates` names, unless it listens
 * on one of `ports` or belongs to another sparkops. Reads what `foreign` of foreign-facts.sh prints.
 */
export function foreignIn(
  sections: Sections,
  { node, ports = [], ids = [], tolerates = [] }: ForeignOptions,
): ForeignLook {
  const list = sections.get('foreign');
  const gpu = sections.get('gpu-apps');
  const { processes, listening } = parseProcesses(sections);
  const containers = containersOf(list, node).map((container) => withProcesses(container, { processes, listening }));
  const launches = containers.filter(
    ({ gpu: usesGpu, foreign }) =>
      usesGpu ||
      ids.includes(foreign.id) ||
      foreign.realm !== undefined ||
      foreign.gpuMemory !== undefined ||
      foreign.ports.some((port) => ports.includes(port)),
  );
  const mayStay = ({ foreign }: ForeignContainer): boolean =>
    foreign.realm === undefined &&
    !foreign.ports.some((port) => ports.includes(port)) &&
    isTolerated(tolerates, foreign);
  const inTheWay = launches.filter((launch) => !mayStay(launch));
  const alive = new Set(['ours', ...containers.map(({ foreign }) => foreign.id)]);
  const known = containers.flatMap(({ foreign }) => foreign.ports);
  const open = ports.filter(
    (port) => !known.includes(port) && listening.some((each) => each.port === port && each.pid === undefined),
  );
  return {
    foreign: [
      ...withLikelyPort(inTheWay, engineLives(sections) ? [] : open),
      ...launches.filter(mayStay).map(({ foreign }) => ({ ...foreign, tolerated: true })),
      ...processes.filter(({ place }) => !alive.has(place)).map((process) => processLaunch(process, node, listening)),
    ],
    ...(list.exitCode !== 0 && { problem: list.lines.at(-1) ?? 'nothing was said' }),
    ...(gpu.exitCode !== 0 && { gpuProblem: gpu.lines.at(-1) ?? 'nvidia-smi says nothing' }),
  };
}

interface ForeignContainer {
  foreign: Foreign;
  gpu: boolean;
  /** It listens on the node's own addresses. */
  hostNetwork: boolean;
}

type Listening = ReturnType<typeof parseProcesses>['listening'];

function containersOf({ lines }: Section, node: string): ForeignContainer[] {
  const each: Map<string, string>[] = [];
  for (const line of lines) {
    const [key = '', value = ''] = line.split(/=(.*)/s);
    if (key === 'id') each.push(new Map());
    each.at(-1)?.set(key, value);
  }
  return each.flatMap((fields) => containerOf(fields, node) ?? []);
}

function containerOf(fields: ReadonlyMap<string, string>, node: string): ForeignContainer | undefined {
  const value = (key: string) => fields.get(key) ?? '';
  if (value('running') === 'false' && ['', 'no'].includes(value('restart'))) return undefined;
  const hostNetwork = value('network') === 'host';
  const published = [...value('ports').matchAll(/"HostPort":"(\d+)"/g)].map(([, port]) => Number(port));
  const asked = hostNetwork && value('arg-port') !== '' ? [Number(value('arg-port'))] : [];
  const fence = value('fence');
  const foreign: Foreign = {
    node,
    kind: 'container',
    name: value('name'),
    id: value('id'),
    image: value('image'),
    user: value('user') || 'root',
    ports: numbers([...published, ...asked]),
    restart: value('restart'),
    since: value('started'),
    ...(value('realm') !== '' && { realm: value('realm') }),
    ...(fence !== '' && { fenceAge: fence === 'unknown' ? fence : Number(fence) }),
  };
  // Where NVIDIA's runtime is the default, the image's own variable asks for the GPU.
  const byRuntime = value('runtime') === 'nvidia' && !['', 'void', 'none'].includes(value('visible'));
  return { foreign, gpu: value('gpu') === 'yes' || byRuntime, hostNetwork };
}

function withProcesses(
  container: ForeignContainer,
  { processes, listening }: { processes: readonly GpuProcess[]; listening: Listening },
): ForeignContainer {
  const { foreign } = container;
  const mine = processes.filter(({ place }) => place === foreign.id);
  const heard = listening.filter((each) => each.container === foreign.id).map(({ port }) => port);
  if (mine.length === 0 && heard.length === 0) return container;
  return {
    ...container,
    foreign: {
      ...foreign,
      ports: numbers([...foreign.ports, ...heard]),
      ...(mine.length > 0 && {
        gpuMemory: mine.reduce((sum, { memory = 0 }) => sum + memory, 0),
        gpuProcesses: mine.map(({ pid, start = '' }) => `${pid} ${start}`),
      }),
    },
  };
}

/** An engine of ours accounts for an open port. */
function engineLives({ all }: Sections): boolean {
  return all.some(({ name, lines }) => name.startsWith('container ') && lines.includes('engine=alive'));
}

/** Only root sees whose a socket is. One container on the node's network and one open port are enough to tell. */
function withLikelyPort(launches: readonly ForeignContainer[], open: readonly number[]): Foreign[] {
  const silent = launches.filter(({ hostNetwork, foreign }) => hostNetwork && foreign.ports.length === 0);
  return launches.map(({ foreign, ...launch }) =>
    silent.length === 1 && silent[0]?.foreign === foreign && launch.hostNetwork && open.length > 0
      ? { ...foreign, ports: open, portsLikely: true }
      : foreign,
  );
}

function processLaunch(process: GpuProcess, node: string, all: Listening): Foreign {
  const { pid, memory, start, owner, since, command, ours, place } = process;
  return {
    node,
    kind: 'process',
    name: command,
    id: String(pid),
    ports: numbers(all.filter((each) => each.pid === pid).map(({ port }) => port)),
    ...(start !== undefined && { start }),
    ...(owner !== undefined && { user: owner }),
    ...(ours && { ours }),
    ...(since !== undefined && { since }),
    ...(memory !== undefined && { gpuMemory: memory }),
    ...(place !== 'nowhere' && { orphanOf: place }),
  };
}

function numbers(some: readonly number[]): number[] {
  return [...new Set(some)].toSorted((a, b) => a - b);
}
