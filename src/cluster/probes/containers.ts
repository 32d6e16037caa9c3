import { OperatorError } from '../../errors.ts';
import type { Machine } from '../machine.ts';
import { run } from '../remote/command.ts';
import { programText } from '../remote/programs.ts';
import { parseListeners } from './listeners.ts';
import { parseSections, type Sections } from './sections.ts';

/** A container of our realm, as a node reports it. */
export interface OurContainer {
  name: string;
  id: string;
  uid: string;
  number: number;
  recipe: string;
  /** Id of the image it was started from: sha256:... */
  image?: string;
  running: boolean;
  /** As Docker writes them. */
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  outOfMemory: boolean;
  /** Unknown: its processes could not be listed. Whoever removes things takes that for alive. */
  engine: 'alive' | 'none' | 'unknown';
  /** RUN/serve.started: the start of the container that the engine was started in. */
  serveStarted?: { id: string; startedAt: string };
  /** RUN/serve.exit: an exit code, or "signal N". */
  serveExit?: string;
  /** RUN/deployment.json of a live engine, if asked for. */
  record?: string;
}

export interface ContainerLook {
  containers: readonly OurContainer[];
  /** Listening TCP addresses, as in "0.0.0.0:8000". */
  listeners: readonly string[];
  /** Processes that were in a container when it was about to be removed, and live. Of it: also while it is there. */
  survivors: readonly Survivor[];
}

export interface Survivor {
  /** Of the deployment. */
  uid: string;
  pid: number;
  /** Of its program. */
  name: string;
}

/** One command: what the realm has on this node and what listens there. Rejects when Docker doesn't answer. */
export async function lookAtContainers(
  machine: Machine,
  { realm, records = false }: { realm: string; records?: boolean },
): Promise<ContainerLook> {
  const { name, paths } = machine.node;
  const args = [realm, paths.state, ...(records ? ['records'] : [])];
  const { stdout } = await machine.read(run('sh', '-s', '--', ...args), {
    stdin: programText('node-facts.sh') + programText('containers.sh'),
  });
  const sections = parseSections(stdout);
  return {
    containers: containersIn(sections, name),
    listeners: parseListeners(sections.get('listeners').lines),
    survivors: sections.get('survivors').lines.flatMap(survivorIn),
  };
}

function survivorIn(line: string): Survivor[] {
  const [, uid, pid, name] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
  return uid === undefined || name === undefined ? [] : [{ uid, pid: Number(pid), name }];
}

/** Throws OperatorError 'command-failed' when the node could not say what it has. */
export function containersIn(sections: Sections, node: string): OurContainer[] {
  const list = sections.get('containers');
  if (list.exitCode !== 0) {
    throw new OperatorError('command-failed', `${node} can't list its containers.`, {
      hint: `Is Docker running there? On ${node}: docker ps`,
      lines: list.lines.slice(-5),
      node,
    });
  }
  return sections.all
    .filter(({ name }) => name.startsWith('container '))
    .flatMap((section) => {
      const name = section.name.slice('container '.length);
      return containerOf(name, section.lines, node, sections) ?? [];
    });
}

/** It becomes part of paths and names, and whoever may use docker there can write a label. */
function uidIn(label: string): string {
  return /^[A-Za-z0-9][\w-]{0,40}$/.test(label) ? label : 'unreadable';
}

function containerOf(
  name: string,
  lines: readonly string[],
  node: string,
  sections: Sections,
): OurContainer | undefined {
  const value = (key: string) => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? '';
  const problem = value('problem');
  // Gone between the list and the look.
  if (/no such/i.test(problem)) return undefined;
  if (problem !== '') {
    throw new OperatorError('command-failed', `${node} can't say what its container ${name} does.`, {
      hint: `On ${node}: docker inspect ${name}`,
      lines: [problem],
      node,
    });
  }
  const [startId, startedAt] = value('serve-started').split(' ');
  const record = sections.get(`record ${name}`);
  return {
    name,
    id: value('id'),
    uid: uidIn(value('label-deployment')),
    number: Number(value('label-number')) || 0,
    recipe: value('label-recipe'),
    ...(value('image') !== '' && { image: value('image') }),
    running: value('running') === 'true',
    startedAt: value('started'),
    finishedAt: value('finished'),
    exitCode: Number(value('exit')) || 0,
    outOfMemory: value('oom') === 'true',
    engine: engineOf(value('engine')),
    ...(startId && startedAt && { serveStarted: { id: startId, startedAt } }),
    ...(value('serve-exit') !== '' && { serveExit: value('serve-exit') }),
    ...(record.exitCode === 0 && { record: record.lines.join('\n') }),
  };
}

function engineOf(word: string): OurContainer['engine'] {
  return word === 'alive' || word === 'none' ? word : 'unknown';
}
