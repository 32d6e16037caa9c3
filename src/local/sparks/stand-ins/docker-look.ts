import { join } from 'node:path';
import { findContainer, listContainers, processesIn, stateOf, type Container } from './containers.ts';
import { fail } from './docker-fail.ts';
import { format, optionOf } from './docker-format.ts';
import { readText } from './files.ts';
import { byDigest, findImage, type Machine } from './machine.ts';
import { argumentsOf, standInOf } from './processes.ts';

export function inspectImage(machine: Machine, words: string[]): number {
  const name = operands(words)[0] ?? '';
  const image = findImage(machine, name);
  if (!image) return missing(`Error response from daemon: No such image: ${name}`);
  const config = { Entrypoint: image.entrypoint, Cmd: image.cmd, Env: image.env, Labels: null, WorkingDir: '/vllm' };
  const RepoDigests = [byDigest(image)];
  const facts = {
    Id: image.id,
    RepoTags: [image.name],
    RepoDigests,
    Architecture: 'arm64',
    Os: 'linux',
    Size: 19_874_230_112,
  };
  return print(format(words, { ...facts, Config: config }));
}

export function inspectContainers(machine: Machine, words: string[]): number {
  let code = 0;
  for (const name of operands(words)) {
    const container = findContainer(machine, name);
    if (container) print(format(words, inspected(container)));
    else code = missing(`Error: No such object: ${name}`);
  }
  return code;
}

function inspected(container: Container): Record<string, unknown> {
  const state = stateOf(container);
  return {
    Id: container.id,
    Created: container.createdAt,
    State: {
      Status: state.status,
      Running: state.status === 'running',
      Paused: false,
      Restarting: false,
      OOMKilled: false,
      Dead: false,
      Pid: state.pid,
      ExitCode: state.exitCode,
      Error: '',
      StartedAt: state.startedAt,
      FinishedAt: state.finishedAt,
    },
    Image: container.imageId,
    Name: `/${container.name}`,
    RestartCount: 0,
    HostConfig: {
      NetworkMode: container.network,
      RestartPolicy: { Name: container.restartPolicy, MaximumRetryCount: 0 },
      Runtime: 'runc',
      DeviceRequests: container.gpus ? [{ Driver: '', Count: -1, DeviceIDs: null, Capabilities: [['gpu']] }] : null,
      Devices: [],
    },
    NetworkSettings: { Ports: {} },
    Mounts: container.volumes.map((volume) => {
      const [Source, Destination] = volume.split(':');
      return { Type: 'bind', Source, Destination };
    }),
    Path: container.argv[0],
    Args: container.argv.slice(1),
    Config: {
      User: container.user,
      Image: container.image,
      Entrypoint: container.entrypoint,
      Cmd: container.args,
      Labels: container.labels,
      Env: Object.entries(container.env).map(([name, value]) => `${name}=${value}`),
    },
  };
}

export function listAsRows(machine: Machine, words: string[]): number {
  const all = words.some((word) => ['--all', '-a', '-aq'].includes(word));
  const wanted = words.flatMap((word, at) => {
    const text = word.startsWith('--filter=')
      ? word.slice(9)
      : ['--filter', '-f'].includes(words[at - 1] ?? '')
        ? word
        : '';
    return text ? [text] : [];
  });
  for (const container of listContainers(machine)) {
    const state = stateOf(container);
    if ((all || state.status === 'running') && wanted.every((filter) => passes(container, filter))) {
      print(format(withLabels(words, container), row(container, state.status, state.exitCode)));
    }
  }
  return 0;
}

/** `{{.Label "x"}}` in a format is a label's value. */
function withLabels(words: readonly string[], { labels }: Container): string[] {
  return words.map((word) => word.replaceAll(/\{\{\.Label "([^"]+)"\}\}/g, (_, name: string) => labels[name] ?? ''));
}

function passes(container: Container, filter: string): boolean {
  const [kind, name = '', value] = filter.split('=');
  if (kind === 'name') return container.name.includes(name);
  return kind === 'label' && name in container.labels && (value === undefined || container.labels[name] === value);
}

function row(container: Container, status: string, exitCode: number): Record<string, string> {
  const words = { running: 'Up 1 minute', exited: `Exited (${exitCode}) 1 minute ago`, created: 'Created' };
  return {
    Command: JSON.stringify(container.argv.join(' ')),
    CreatedAt: container.createdAt.replace(/T(.{8}).*/, ' $1 +0000 UTC'),
    ID: container.id,
    Image: container.image,
    Labels: Object.entries(container.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    LocalVolumes: '0',
    Mounts: '',
    Names: container.name,
    Networks: 'host',
    Ports: '',
    RunningFor: '1 minute ago',
    Size: '0B',
    State: status,
    Status: words[status as keyof typeof words],
  };
}

export function showLogs(machine: Machine, words: string[]): number {
  const name = operands(words, ['--tail', '-n'])[0] ?? '';
  const container = findContainer(machine, name);
  if (!container) return fail(`Error response from daemon: No such container: ${name}`);
  const lines = readText(join(container.folder, 'log')).split(/(?<=\n)/);
  const tail = optionOf(words, '--tail') ?? optionOf(words, '-n') ?? 'all';
  process.stdout.write((tail === 'all' ? lines : lines.slice(-Number(tail) || lines.length)).join(''));
  return 0;
}

export function showTop(machine: Machine, words: string[]): number {
  const name = operands(words, ['-eo'])[0] ?? '';
  const container = findContainer(machine, name);
  if (!container) return fail(`Error response from daemon: No such container: ${name}`);
  if (stateOf(container).status !== 'running') {
    return fail(`Error response from daemon: container ${container.id} is not running`);
  }
  const pidsOnly = optionOf(words, '-eo') === 'pid';
  print(pidsOnly ? 'PID' : 'PID                 COMMAND');
  for (const { pid } of processesIn(container)) {
    if (pidsOnly) {
      print(String(pid));
      continue;
    }
    const args = shownArguments(pid);
    if (args) print(`${String(pid).padEnd(20)}${args}`);
  }
  return 0;
}

/** The stand-ins are Node programs: shown are the arguments that the real ones would have. */
function shownArguments(pid: number): string {
  const standIn = standInOf(pid);
  if (!standIn) return argumentsOf(pid).join(' ');
  const { name, args } = standIn;
  return (name === 'python3' ? [name, ...args] : ['/usr/bin/python3', `/usr/local/bin/${name}`, ...args]).join(' ');
}

function operands(words: readonly string[], withValue: readonly string[] = []): string[] {
  const options = new Set(['--format', '-f', ...withValue]);
  return words.filter((word, at) => !word.startsWith('-') && !options.has(words[at - 1] ?? ''));
}

function missing(text: string): number {
  process.stdout.write('\n');
  return fail(text);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
