import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFolder, readText, writeWhole } from './files.ts';
import { readMachine, type Machine } from './machine.ts';
import { processOf } from './processes.ts';

export interface Listener {
  address: string;
  port: number;
  /** The socket behind it, on 127.0.0.1. */
  real: number;
  pid: number;
  kind: 'ssh' | 'gcs' | 'engine' | 'foreign';
}

/** Registers a listening socket of this machine. False when the port is taken. */
export function claimPort(machine: Machine, listener: Listener): boolean {
  if (listeners(machine.folder).some((other) => other.port === listener.port)) return false;
  const { address, port, real, pid, kind } = listener;
  // Words on one line, because the pretend `ss` is a shell script.
  writeWhole(join(machine.folder, 'ports', String(port)), `${address} ${port} ${real} ${pid} ${kind}\n`);
  return true;
}

export function releasePort(machine: Machine, port: number): void {
  rmSync(join(machine.folder, 'ports', String(port)), { force: true });
}

/** Sockets of a machine whose process runs. */
export function listeners(machineFolder: string): Listener[] {
  const folder = join(machineFolder, 'ports');
  return listFolder(folder)
    .flatMap((file) => parse(readText(join(folder, file))) ?? [])
    .filter(({ pid }) => processOf(pid) !== undefined);
}

export type Way = { kind: 'open'; real: number } | { kind: 'refused' } | { kind: 'unreachable' };

/** What a connection from `machine` to host:port meets on the pretend network. */
export function findWay(machine: Machine, host: string, port: number): Way {
  const target = targetOf(machine, host);
  if (!target) return { kind: 'unreachable' };
  const wanted = host === 'localhost' ? '127.0.0.1' : host;
  const listener = listeners(target.folder).find(
    (one) => one.port === port && ['0.0.0.0', wanted].includes(one.address),
  );
  return listener ? { kind: 'open', real: listener.real } : { kind: 'refused' };
}

function targetOf(machine: Machine, host: string): Machine | undefined {
  if (['127.0.0.1', 'localhost'].includes(host)) return machine;
  const network = dirname(machine.folder);
  for (const name of listFolder(network)) {
    const other = readMachine(join(network, name));
    if (other.fabric.address === host) return other;
    if (other.management?.address === host) return machine.management ? other : undefined;
  }
  return undefined;
}

function parse(text: string): Listener | undefined {
  const [address, port, real, pid, kind] = text.trim().split(' ');
  if (!address || !kind) return undefined;
  return { address, port: Number(port), real: Number(real), pid: Number(pid), kind: kind as Listener['kind'] };
}
