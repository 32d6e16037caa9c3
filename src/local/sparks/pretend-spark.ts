import type { ParsedKey, ServerChannel } from 'ssh2';
import { makeKey } from './keys.ts';
import { makeMachine } from './make-machine.ts';
import { startSshServer, type SshServer } from './ssh-server.ts';
import { killContainer, listContainers, processesIn, stateOf, type ContainerState } from './stand-ins/containers.ts';
import { readText } from './stand-ins/files.ts';
import type { Machine } from './stand-ins/machine.ts';
import { standInOf } from './stand-ins/processes.ts';

export interface PretendContainer extends ContainerState {
  name: string;
  id: string;
  image: string;
  labels: Record<string, string>;
}

export type Killable = 'engine' | 'containers' | 'sshd' | 'connections';

export interface PretendSpark {
  machine: Machine;
  server: SshServer;
  /** Of the host key that people know it by. */
  fingerprint: string;
  /** Shows another host key from now on. */
  changeHostKey: () => Promise<void>;
}

export interface PretendSparkOptions {
  machine: Machine;
  standIns: string;
  user: string;
  clientKey: ParsedKey;
  exec: (text: string, channel: ServerChannel) => void;
}

/** One pretend machine: its folder with the programs, and its sshd. */
export async function startPretendSpark(options: PretendSparkOptions): Promise<PretendSpark> {
  const { machine, standIns, user, clientKey, exec } = options;
  await makeMachine(machine, standIns);
  const known = makeKey();
  let shown = known;
  const server = await startSshServer({ machine, user, clientKey, exec, hostKey: () => shown.text });
  return {
    machine,
    server,
    fingerprint: known.fingerprint,
    changeHostKey: async () => {
      shown = makeKey();
      await server.stop();
      await server.start();
    },
  };
}

export function containersOn({ machine }: PretendSpark): PretendContainer[] {
  return listContainers(machine).map((one) => {
    const { name, id, image, labels } = one;
    return { name, id, image, labels, ...stateOf(one) };
  });
}

export function startsOn({ machine }: PretendSpark): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of readText(`${machine.folder}/starts`).split('\n').filter(Boolean)) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export async function killOn({ machine, server }: PretendSpark, what: Killable): Promise<void> {
  switch (what) {
    case 'engine':
      for (const pid of enginesOn(machine)) process.kill(pid, 'SIGKILL');
      return;
    case 'containers':
      for (const container of listContainers(machine)) killContainer(container);
      return;
    case 'sshd':
      return await server.stop();
    case 'connections':
      return server.dropConnections();
  }
}

function enginesOn(machine: Machine): number[] {
  const pids = listContainers(machine).flatMap((container) => processesIn(container).map((one) => one.pid));
  return pids.filter((pid) => standInOf(pid)?.name === 'vllm');
}
