import { containerEnded, execInContainer } from './docker-exec.ts';
import { fail } from './docker-fail.ts';
import { inspectContainers, inspectImage, listAsRows, showLogs, showTop } from './docker-look.ts';
import { format } from './docker-format.ts';
import { runContainer } from './docker-run.ts';
import { stopContainers, updateContainers } from './docker-stop.ts';
import { findContainer, killContainer, removeContainer } from './containers.ts';
import { readMachine, type Machine } from './machine.ts';

const RUNTIMES = {
  'io.containerd.runc.v2': { path: 'runc' },
  nvidia: { path: 'nvidia-container-runtime' },
  runc: { path: 'runc' },
};

const [folder = '', ...words] = process.argv.slice(2);
process.exitCode = await docker(readMachine(folder), words);

async function docker(machine: Machine, [command = '', ...rest]: string[]): Promise<number> {
  switch (command) {
    case 'version':
      return print(format(rest, { Server: { Version: '28.3.3' }, Client: { Version: '28.3.3' } }));
    case 'info':
      return print(format(rest, { Runtimes: RUNTIMES, ServerVersion: '28.3.3' }));
    case 'image':
      return rest[0] === 'inspect' ? inspectImage(machine, rest.slice(1)) : unknown(`image ${rest[0] ?? ''}`);
    case 'inspect':
      return inspectContainers(machine, rest);
    case 'ps':
      return listAsRows(machine, rest);
    case 'run':
      return await runContainer(machine, rest);
    case 'exec':
      return await execInContainer(machine, rest);
    case 'rm':
      return remove(machine, rest);
    case 'kill':
      return kill(machine, rest);
    case 'update':
      return updateContainers(machine, rest);
    case 'stop':
      return await stopContainers(machine, rest);
    case 'logs':
      return showLogs(machine, rest);
    case 'top':
      return showTop(machine, rest);
    case 'container-ended':
      return containerEnded(machine, rest);
    default:
      return unknown(command);
  }
}

function remove(machine: Machine, words: string[]): number {
  const force = words.some((word) => word === '--force' || word === '-f');
  let code = 0;
  for (const name of words.filter((word) => !word.startsWith('-'))) {
    const container = findContainer(machine, name);
    if (!container) {
      fail(`Error response from daemon: No such container: ${name}`);
      // With --force a container that is not there is no failure for docker.
      if (!force) code = 1;
      continue;
    }
    removeContainer(machine, container);
    print(name);
  }
  return code;
}

function kill(machine: Machine, names: string[]): number {
  for (const name of names) {
    const container = findContainer(machine, name);
    if (!container) return fail(`Error response from daemon: No such container: ${name}`);
    killContainer(container);
    print(name);
  }
  return 0;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function unknown(command: string): number {
  return fail(`docker: unknown command: docker ${command}\n\nRun 'docker --help' for more information`);
}
