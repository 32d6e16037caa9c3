import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { accessible, canRun } from './can-run.ts';
import {
  createContainer,
  findContainer,
  markEnded,
  markStarted,
  noteStart,
  removeContainer,
  type Container,
} from './containers.ts';
import { failRun } from './docker-fail.ts';
import { readText } from './files.ts';
import { findImage, type Machine, type MachineImage } from './machine.ts';

interface RunOptions {
  flags: Set<string>;
  values: Map<string, string[]>;
  image: string;
  args: string[];
}

const ALONE = new Set(['-d', '--detach', '--rm', '-i', '--interactive', '-t', '--tty', '--init', '--privileged']);
const SHORT: Record<string, string> = {
  '-l': '--label',
  '-v': '--volume',
  '-e': '--env',
  '-u': '--user',
  '-w': '--workdir',
};
const WITH_VALUE = new Set(
  '--name --label --network --ipc --gpus --ulimit --device --cap-add --user --volume --env --env-file --entrypoint --pull --restart --workdir --shm-size --memory'.split(
    ' ',
  ),
);

export async function runContainer(machine: Machine, words: string[]): Promise<number> {
  const options = parse(words);
  if (typeof options === 'string') return failRun(options);
  const image = findImage(machine, options.image);
  if (!image) return failRun(`Error response from daemon: No such image: ${withTag(options.image)}`);
  const envFile = options.values.get('--env-file')?.[0];
  if (envFile && !accessible(envFile)) return failRun(`open ${envFile}: no such file or directory`);

  const config = configOf(machine, image, options);
  if (config.argv.length === 0) return failRun('Error response from daemon: no command specified');
  const container = createContainer(machine, config);
  if (!container) {
    const other = findContainer(machine, config.name)?.id ?? '';
    return failRun(
      `Error response from daemon: Conflict. The container name "/${config.name}" is already in use by container "${other}". You have to remove (or rename) that container to be able to reuse that name.`,
    );
  }
  makeMounts(machine, options.values.get('--volume') ?? []);
  const detached = options.flags.has('-d') || options.flags.has('--detach');
  // docker prints the id before the start, so also when the start fails.
  if (detached) process.stdout.write(`${container.id}\n`);
  const program = container.argv[0] ?? '';
  if (!canRun(program, container.env['PATH'] ?? '')) return notFound(container, program);
  const code = await start(machine, container, detached);
  if (options.flags.has('--rm') && !detached) removeContainer(machine, container);
  return code;
}

// The shell stays as the container runtime would: it waits for the program, then tells docker its exit code.
const SUPERVISOR =
  'log=$1 id=$2 machine=$3 node=$4 docker=$5; shift 5; "$@" >>"$log" 2>&1; exec "$node" -- "$docker" "$machine" container-ended "$id" "$?"';

async function start(machine: Machine, container: Container, detached: boolean): Promise<number> {
  const log = join(container.folder, 'log');
  if (!detached) {
    const child = spawn(container.argv[0] ?? '', container.argv.slice(1), {
      env: container.env,
      detached: true,
      stdio: 'inherit',
    });
    if (child.pid) markStarted(container, child.pid);
    const code = await new Promise<number>((resolve) => child.on('exit', (value) => resolve(value ?? 137)));
    markEnded(container, code);
    return code;
  }
  const self = process.argv[1] ?? '';
  const words = [log, container.id, machine.folder, process.execPath, self, ...container.argv];
  const errors = openSync(join(container.folder, 'runtime'), 'a');
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...words], {
    env: container.env,
    cwd: container.folder,
    detached: true,
    stdio: ['ignore', 'ignore', errors],
  });
  if (child.pid) markStarted(container, child.pid);
  noteStart(machine.folder, container.name);
  child.unref();
  return 0;
}

function notFound(container: Container, program: string): number {
  markEnded(container, 127);
  const reason = isAbsolute(program)
    ? `exec: "${program}": stat ${program}: no such file or directory`
    : `exec: "${program}": executable file not found in $PATH`;
  return failRun(
    `Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${reason}: unknown`,
    127,
  );
}

function configOf(machine: Machine, image: MachineImage, options: RunOptions) {
  const { values } = options;
  const entrypoint = values.has('--entrypoint')
    ? [values.get('--entrypoint')?.[0] ?? ''].filter(Boolean)
    : image.entrypoint;
  // As docker does: one's own entrypoint also drops the image's Cmd.
  const args = options.args.length > 0 || values.has('--entrypoint') ? options.args : (image.cmd ?? []);
  const id = randomBytes(32).toString('hex');
  const folder = join(machine.folder, 'docker/containers', id);
  return {
    id,
    name: values.get('--name')?.[0] ?? `pretend_${id.slice(0, 12)}`,
    image: options.image,
    imageId: image.id,
    labels: Object.fromEntries((values.get('--label') ?? []).map(pair)),
    entrypoint,
    args,
    argv: [...(entrypoint ?? []), ...args],
    env: {
      ...Object.fromEntries(image.env.map(pair)),
      PATH: join(machine.folder, 'container-bin'),
      HOSTNAME: machine.name,
      HOME: '/root',
      ...Object.fromEntries((values.get('--env-file') ?? []).flatMap(readEnvFile)),
      ...Object.fromEntries((values.get('--env') ?? []).flatMap(envPair)),
      PRETEND_CONTAINER: folder,
    },
    restartPolicy: values.get('--restart')?.[0] ?? 'no',
    gpus: values.has('--gpus'),
    network: values.get('--network')?.[0] ?? 'bridge',
    user: values.get('--user')?.[0] ?? '',
    volumes: values.get('--volume') ?? [],
    createdAt: new Date().toISOString(),
  };
}

function parse(words: string[]): RunOptions | string {
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) break;
    const [given = '', joined] = word.split(/=(.*)/s);
    const name = SHORT[given] ?? given;
    if (ALONE.has(name)) flags.add(name);
    else if (WITH_VALUE.has(name)) values.set(name, [...(values.get(name) ?? []), joined ?? words[(at += 1)] ?? '']);
    else return `unknown flag: ${given}`;
  }
  const image = words[at];
  if (!image) return "'docker run' requires at least 1 argument";
  return { flags, values, image, args: words.slice(at + 1) };
}

function readEnvFile(path: string): [string, string][] {
  const lines = readText(path).split('\n');
  return lines.filter((line) => line.trim() && !line.startsWith('#')).flatMap(envPair);
}

function envPair(text: string): [string, string][] {
  if (text.includes('=')) return [pair(text)];
  const value = process.env[text];
  return value === undefined ? [] : [[text, value]];
}

function pair(text: string): [string, string] {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  return [name, value];
}

function makeMounts(machine: Machine, volumes: readonly string[]): void {
  for (const volume of volumes) {
    const from = volume.split(':')[0] ?? '';
    if (from.startsWith(`${machine.folder}/`) && !accessible(from)) mkdirSync(from, { recursive: true });
  }
}

function withTag(image: string): string {
  return /:[^/]+$/.test(image) ? image : `${image}:latest`;
}
