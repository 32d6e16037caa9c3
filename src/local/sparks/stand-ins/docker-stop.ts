import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findContainer,
  killContainer,
  processesIn,
  stateOf,
  type Container,
  type ContainerConfig,
} from './containers.ts';
import { fail } from './docker-fail.ts';
import { optionOf } from './docker-format.ts';
import { writeWhole } from './files.ts';
import type { Machine } from './machine.ts';

const PAUSE_MS = 20;

/** `docker update --restart=POLICY NAME...` */
export function updateContainers(machine: Machine, words: string[]): number {
  const restartPolicy = optionOf(words, '--restart');
  if (restartPolicy === undefined) return fail('you must provide one or more flags when using this command');
  return onEach(machine, words, (container) => {
    const { folder, ...config } = container;
    const changed: ContainerConfig = { ...config, restartPolicy };
    writeWhole(join(folder, 'config.json'), JSON.stringify(changed));
  });
}

/** `docker stop [-t SECONDS] NAME...`: SIGTERM, and SIGKILL for what is still there then. */
export async function stopContainers(machine: Machine, words: string[]): Promise<number> {
  const limitMs = Number(optionOf(words, '-t') ?? optionOf(words, '--time') ?? 10) * 1_000;
  const found: Container[] = [];
  const code = onEach(machine, words, (container) => void found.push(container));
  for (const container of found) {
    for (const { pid } of processesIn(container)) terminate(pid);
    const limit = performance.now() + limitMs;
    while (stateOf(container).status === 'running' && performance.now() < limit) await delay(PAUSE_MS);
    killContainer(container);
  }
  return code;
}

function onEach(machine: Machine, words: readonly string[], act: (container: Container) => void): number {
  let code = 0;
  const names = words.filter(
    (word, at) => !word.startsWith('-') && !['-t', '--time', '--restart'].includes(words[at - 1] ?? ''),
  );
  for (const name of names) {
    const container = findContainer(machine, name);
    if (container) {
      act(container);
      process.stdout.write(`${name}\n`);
    } else code = fail(`Error response from daemon: No such container: ${name}`);
  }
  return code;
}

function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It ended by itself.
  }
}
