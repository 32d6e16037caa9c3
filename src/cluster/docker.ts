import type { ContainerSpec, PlanNode } from './plan.ts';
import { type Exec, run } from './remote/command.ts';
import { programPath } from './remote/programs.ts';

// Docker's own pattern. A name that passes can't be taken for an option.
const CONTAINER = /^[a-zA-Z0-9][\w.-]*$/;
// registry.example:5000/folder/name:tag@sha256:...
const IMAGE = /^(?!.*\.\.)[a-zA-Z0-9][\w./:@-]*$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

// What NCCL over RDMA and one GPU a node need. No --rm, no restart policy, never privileged.
const HOST_ACCESS = (
  '--network host --ipc host --gpus all --ulimit memlock=-1 --ulimit stack=67108864 ' +
  '--device /dev/infiniband --cap-add IPC_LOCK --cap-add SYS_PTRACE'
).split(' ');

/** `docker run` as it stands; the user and the file of secret variables are added by start-container.sh on the node. */
export function dockerRun(spec: ContainerSpec, env: Readonly<Record<string, string>>): Exec {
  return run(
    'docker',
    'run',
    '-d',
    '--pull=never',
    '--name',
    container(spec.name),
    ...Object.entries(spec.labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
    ...HOST_ACCESS,
    ...spec.mounts.flatMap(({ path, readOnly }) => ['-v', `${path}:${path}${readOnly ? ':ro' : ''}`]),
    ...Object.entries(env).flatMap(([name, value]) => ['-e', `${variable(name)}=${value}`]),
    '--entrypoint',
    spec.entrypoint,
    image(spec.image),
    ...spec.args,
  );
}

/** Changing. Standard input: the line of each file, then lines NAME=value of the secret variables. */
export function startContainer(node: PlanNode, number: number, files: readonly string[] = []): Exec {
  const labels = { ...node.container.labels, 'sparkops.number': String(number) };
  const words = dockerRun({ ...node.container, labels }, node.env).words;
  return run('sh', programPath(node.paths.state, 'start-container.sh'), node.paths.run, ...files, '--', ...words);
}

/**
 * Changing. Before the node's container of a deployment is removed: writes down its processes, and gives an engine that
 * was started there `seconds` to end. `run`: the deployment's run folder. Ends well also when nothing runs.
 */
export function endEngine(
  { paths }: PlanNode,
  name: string,
  { run: folder, seconds }: { run: string; seconds: number },
): Exec {
  return run('sh', programPath(paths.state, 'end-engine.sh'), container(name), folder, seconds);
}

/** Changing. Standard input becomes the files of STATE/evidence/NAME; prints that folder. */
export function keepEvidence({ paths }: PlanNode, name: string): Exec {
  return run('sh', programPath(paths.state, 'keep-evidence.sh'), paths.state, matching(CONTAINER, 'folder', name));
}

/** Changing. Fine when some of them are gone already: look afterwards. */
export function removeContainers(names: readonly [string, ...string[]]): Exec {
  return run('docker', 'rm', '--force', ...names.map(container));
}

/** Changing. Docker no longer starts it by itself, not even after a reboot. */
export function endRestarts(id: string): Exec {
  return run('docker', 'update', '--restart=no', container(id));
}

/** Changing. SIGTERM, and 30 s later SIGKILL: within a guarded command's time. */
export function stopContainer(id: string): Exec {
  return run('docker', 'stop', '-t', 30, container(id));
}

/** Changing. SIGTERM for a process of our own user, if it is still the one that started then. */
export function endProcess(state: string, pid: string, start: string): Exec {
  return run(
    'sh',
    programPath(state, 'end-process.sh'),
    matching(/^\d+$/, 'process', pid),
    matching(/^\d+$/, 'start', start),
  );
}

/** Changing. Standard input becomes the file. */
export function putFile(node: PlanNode, path: string): Exec {
  return run('sh', programPath(node.paths.state, 'put-file.sh'), path);
}

/** Changing, for an instant. Prints "missing PROGRAM" for each that the node's image lacks. */
export function imagePrograms(
  { container: spec, paths }: PlanNode,
  realm: string,
  programs: readonly [string, ...string[]],
): Exec {
  const name = container(`sparkops-programs-${realm}`);
  return run('sh', programPath(paths.state, 'image-programs.sh'), name, image(spec.image), ...programs);
}

/** Changing. Does nothing when the engine runs there already. */
export function startServe({ container: { name }, paths }: PlanNode, argv: readonly string[]): Exec {
  return run('sh', programPath(paths.state, 'start-serve.sh'), container(name), paths.run, '--', ...argv);
}

/** A program of ours, sent by standard input, in a running container. */
export function execPython(name: string, ...args: (string | number)[]): Exec {
  return run('docker', 'exec', '-i', container(name), 'python3', '-', ...args);
}

/** Fails unless the container runs. */
export function containerProcesses(name: string): Exec {
  return run('docker', 'top', container(name), '-eo', 'pid,args');
}

export function containerLogs(name: string, lines: number): Exec {
  return run('docker', 'logs', '--tail', lines, container(name));
}

/** The lines of an env file, for standard input. Docker reads it line by line, so a value can't hold a line end. */
export function envFile(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      if (/[\r\n\0]/.test(value)) throw new TypeError(`The value of ${name} has more than one line`);
      return `${variable(name)}=${value}\n`;
    })
    .join('');
}

function container(name: string): string {
  return matching(CONTAINER, 'container', name);
}

function image(name: string): string {
  return matching(IMAGE, 'image', name);
}

function variable(name: string): string {
  return matching(VARIABLE, 'variable', name);
}

function matching(pattern: RegExp, what: string, name: string): string {
  if (!pattern.test(name)) throw new TypeError(`Not the name of a ${what}: ${JSON.stringify(name)}`);
  return name;
}
