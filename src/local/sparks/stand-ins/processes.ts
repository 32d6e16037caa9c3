import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { listFolder, readText } from './files.ts';

export interface Process {
  pid: number;
  group: number;
  /** When it started, as the system tells it: a pid used again has another. */
  start: string;
}

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

export function killGroup(recorded: Group): void {
  if (membersOf(recorded).length > 0) signal(-recorded.group);
}

function signal(pid: number): void {
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
