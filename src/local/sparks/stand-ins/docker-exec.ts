import { spawn } from 'node:child_process';
import { canRun } from './can-run.ts';
import { findContainer, forgetGroup, markEnded, processesIn, recordGroup, stateOf } from './containers.ts';
import { fail } from './docker-fail.ts';
import type { Machine } from './machine.ts';
import { killAll } from './processes.ts';

export async function execInContainer(machine: Machine, words: string[]): Promise<number> {
  const first = words.findIndex((word) => !word.startsWith('-'));
  const flags = words.slice(0, first);
  const [name = '', program = '', ...args] = words.slice(first);
  const container = findContainer(machine, name);
  if (!container) return fail(`Error response from daemon: No such container: ${name}`);
  if (stateOf(container).status !== 'running') {
    return fail(`Error response from daemon: container ${container.id} is not running`);
  }
  if (!canRun(program, container.env['PATH'] ?? '')) {
    return fail(
      `OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH`,
      127,
    );
  }
  const detached = flags.some((flag) => flag === '-d' || flag === '--detach');
  const stdin = flags.some((flag) => flag === '-i' || flag === '--interactive') ? 'inherit' : 'ignore';
  // Its own group: what runs in the container outlives the docker client.
  const child = spawn(program, args, {
    env: container.env,
    detached: true,
    stdio: detached ? 'ignore' : [stdin, 'inherit', 'inherit'],
  });
  const pid = child.pid;
  if (pid === undefined) return fail(`OCI runtime exec failed: ${program} could not be started`, 126);
  recordGroup(container.folder, pid);
  if (detached) {
    child.unref();
    return 0;
  }
  const code = await new Promise<number>((resolve) => child.on('exit', (value) => resolve(value ?? 137)));
  forgetGroup(container.folder, pid);
  return code;
}

/** Called by the shell that waits for the container's program. With the first process all others end. */
export function containerEnded(machine: Machine, [id = '', exitCode = '']: string[]): number {
  const container = findContainer(machine, id);
  if (!container) return 0;
  killAll(() => processesIn(container).filter(({ pid }) => pid !== process.pid));
  markEnded(container, Number(exitCode));
  return 0;
}
