import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, readText, writeWhole } from './files.ts';
import type { Machine } from './machine.ts';
import { killAll, membersOf, processes, processOf, type Group, type Process } from './processes.ts';

export interface ContainerConfig {
  id: string;
  name: string;
  image: string;
  imageId: string;
  labels: Record<string, string>;
  entrypoint: readonly string[] | null;
  args: readonly string[];
  /** What runs: entrypoint and arguments. */
  argv: readonly string[];
  env: Record<string, string>;
  restartPolicy: string;
  gpus: boolean;
  network: string;
  user: string;
  /** As given: FROM:TO[:ro] */
  volumes: readonly string[];
  createdAt: string;
}

export interface Container extends ContainerConfig {
  folder: string;
}

export interface ContainerState {
  status: 'created' | 'running' | 'exited';
  exitCode: number;
  pid: number;
  startedAt: string;
  finishedAt: string;
}

const NEVER = '0001-01-01T00:00:00Z';

/** Undefined when the name is taken: the other container's id comes from `findContainer`. */
export function createContainer(machine: Machine, config: ContainerConfig): Container | undefined {
  const folder = join(machine.folder, 'docker/containers', config.id);
  mkdirSync(join(folder, 'groups'), { recursive: true });
  writeFileSync(join(folder, 'log'), '');
  writeWhole(join(folder, 'config.json'), JSON.stringify(config));
  mkdirSync(join(machine.folder, 'docker/names'), { recursive: true });
  try {
    writeFileSync(join(machine.folder, 'docker/names', config.name), config.id, { flag: 'wx' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return { ...config, folder };
}

export function listContainers(machine: Machine): Container[] {
  const names = join(machine.folder, 'docker/names');
  const found = listFolder(names).flatMap((name) => findContainer(machine, name) ?? []);
  return found.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/** By name, id, or the beginning of an id. */
export function findContainer(machine: Machine, nameOrId: string): Container | undefined {
  const id = readText(join(machine.folder, 'docker/names', nameOrId)) || longId(machine, nameOrId);
  if (!id) return undefined;
  const folder = join(machine.folder, 'docker/containers', id);
  const text = readText(join(folder, 'config.json'));
  return text ? { ...(JSON.parse(text) as ContainerConfig), folder } : undefined;
}

/** The container's processes belong to recorded groups: its own, and one for each exec. */
export function recordGroup(containerFolder: string, pid: number): void {
  const start = processOf(pid)?.start;
  if (start) writeFileSync(join(containerFolder, 'groups', String(pid)), start);
}

export function forgetGroup(containerFolder: string, pid: number): void {
  rmSync(join(containerFolder, 'groups', String(pid)), { force: true });
}

export function markStarted(container: Container, pid: number): void {
  recordGroup(container.folder, pid);
  writeWhole(join(container.folder, 'started'), JSON.stringify({ pid, at: new Date().toISOString() }));
}

/** One line for each start of a container that stays or an engine, ever: nothing may start twice unseen. */
export function noteStart(machineFolder: string, name: string): void {
  appendFileSync(join(machineFolder, 'starts'), `${name}\n`);
}

export function markEnded(container: Container, exitCode: number): void {
  writeWhole(join(container.folder, 'exit'), String(exitCode));
}

export function stateOf(container: Container): ContainerState {
  const started = readText(join(container.folder, 'started'));
  const ended = readText(join(container.folder, 'exit'));
  if (!started) return { status: 'created', exitCode: Number(ended || 0), pid: 0, startedAt: NEVER, finishedAt: NEVER };
  const { pid, at } = JSON.parse(started) as { pid: number; at: string };
  const running = !ended && groupsOf(container).some((one) => one.group === pid && membersOf(one).length > 0);
  if (running) return { status: 'running', exitCode: 0, pid, startedAt: at, finishedAt: NEVER };
  const finishedAt = ended ? statSync(join(container.folder, 'exit')).mtime.toISOString() : new Date().toISOString();
  return { status: 'exited', exitCode: Number(ended || 137), pid: 0, startedAt: at, finishedAt };
}

/** Processes inside, without the one that stands for the container runtime. */
export function processesIn(container: Container): Process[] {
  const all = processes();
  const { pid } = stateOf(container);
  return groupsOf(container)
    .flatMap((group) => membersOf(group, all))
    .filter((one) => one.pid !== pid)
    .toSorted((a, b) => a.pid - b.pid);
}

/** kill -9 of everything inside; returns when it is gone. */
export function killContainer(container: Container): void {
  const groups = groupsOf(container);
  killAll(() => {
    const all = processes();
    return groups.flatMap((group) => membersOf(group, all));
  });
  if (stateOf(container).status !== 'created' && !readText(join(container.folder, 'exit'))) markEnded(container, 137);
}

export function removeContainer(machine: Machine, container: Container): void {
  killContainer(container);
  rmSync(join(machine.folder, 'docker/names', container.name), { force: true });
  rmSync(container.folder, { recursive: true, force: true, maxRetries: 5 });
}

function groupsOf(container: Container): Group[] {
  const folder = join(container.folder, 'groups');
  return listFolder(folder).map((name) => ({ group: Number(name), start: readText(join(folder, name)) }));
}

function longId(machine: Machine, start: string): string | undefined {
  if (!/^[0-9a-f]{4,64}$/.test(start)) return undefined;
  return listFolder(join(machine.folder, 'docker/containers')).find((id) => id.startsWith(start));
}
