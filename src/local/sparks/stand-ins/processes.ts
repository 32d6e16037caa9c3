import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { listFolder, readText } from './files.ts';

export interface Process {
  pid: number;
  group: number;
  /** When it started, as the system tells it: a pid used again has another. */
  start: string;
}

const KILL_LIMIT_MS = 2_000;
const KILL_PAUSE_MS = 5;

/** All processes of this computer that run. */
export function processes(): Process[] {
  if (process.platform !== 'linux') return fromPs(['-A']);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => fromProc(Number(pid)));
}

export function processOf(pid: number): Process | undefined {
  return (process.platform === 'linux' ? fromProc(pid) : fromPs(['-p', String(pid)]))[0];
}

export function argumentsOf(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return [];
  }
}

/** Which stand-in a process is, with the arguments after its machine. */
export function standInOf(pid: number): { name: string; args: string[] } | undefined {
  const words = argumentsOf(pid);
  const at = words.findIndex((word) => /\/stand-ins\/\w+\.js$/.test(word));
  const name = /(\w+)\.js$/.exec(words[at] ?? '')?.[1];
  return at >= 0 && at <= 2 && name ? { name, args: words.slice(at + 2) } : undefined;
}

export interface Group {
  group: number;
  /** Of its leader. */
  start: string;
}

/** Members of a group that was recorded at its start; none when its number belongs to somebody else by now. */
export function membersOf(recorded: Group, all: readonly Process[] = processes()): Process[] {
  const leader = all.find((one) => one.pid === recorded.group);
  if (leader && leader.start !== recorded.start) return [];
  return all.filter((one) => one.group === recorded.group);
}

/** kill -9; returns when none is left, or after two seconds. */
export function killAll(find: () => Process[]): void {
  const limit = performance.now() + KILL_LIMIT_MS;
  for (let left = find(); left.length > 0 && performance.now() < limit; left = find()) {
    for (const { pid } of left) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, KILL_PAUSE_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function fromProc(pid: number): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets; what follows the last bracket is plain words.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (words[0] === 'Z' || words[0] === 'X') return [];
    return [{ pid, group: Number(words[2]), start: words[19] ?? '' }];
  } catch {
    return [];
  }
}

function fromPs(which: string[]): Process[] {
  try {
    const text = execFileSync('/bin/ps', [...which, '-o', 'pid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
    return text.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
      if (!match || match[3]?.startsWith('Z')) return [];
      return [{ pid: Number(match[1]), group: Number(match[2]), start: match[4] ?? '' }];
    });
  } catch {
    return [];
  }
}

/** Running processes with `text` in their environment, ours and the ones that they started. */
export function withEnvironment(text: string): number[] {
  if (process.platform === 'linux') {
    return listFolder('/proc')
      .filter((name) => /^\d+$/.test(name) && readText(`/proc/${name}/environ`).includes(text))
      .map(Number);
  }
  const all = execFileSync('/bin/ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return all
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10));
}
