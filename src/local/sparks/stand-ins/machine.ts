import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './files.ts';

export interface MachineImage {
  /** With its tag. */
  name: string;
  id: string;
  digest: string;
  entrypoint: readonly string[] | null;
  cmd: readonly string[] | null;
  env: readonly string[];
}

/** What a pretend machine is. Its outputs follow from this file and from the folders beside it. */
export interface Machine {
  name: string;
  /** The process that made it: what runs on it ends with that. */
  owner?: number;
  /** This machine's folder; its parent holds all machines of the network, by name. */
  folder: string;
  management?: { address: string; interface: string };
  fabric: { address: string; interface: string };
  /** GPUs that a container sees. */
  containerGpus: number;
  /** `ray start` behaves as if --node-ip-address had not been given. */
  rayLosesAddress: boolean;
  images: MachineImage[];
  load: 'works' | 'dies' | 'hangs';
  /** How long the engine reads weights. */
  loadSeconds: number;
  /** The engine hangs in its requests: no token comes any more. */
  wedged?: boolean;
}

export function readMachine(folder: string): Machine {
  return JSON.parse(readFileSync(join(folder, 'machine.json'), 'utf8')) as Machine;
}

export function writeMachine(machine: Machine): void {
  writeWhole(join(machine.folder, 'machine.json'), `${JSON.stringify(machine, null, 2)}\n`);
}

/** The address that a program finds when it asks the routing table for the way out. */
export function ownAddress(machine: Machine): string {
  return (machine.management ?? machine.fabric).address;
}

export function findImage(machine: Machine, name: string): MachineImage | undefined {
  const full = /:[^/]+$/.test(name) || name.includes('@') ? name : `${name}:latest`;
  return machine.images.find((image) => image.name === full || image.id === name || byDigest(image) === name);
}

/** As a registry names exactly this image: REPOSITORY@DIGEST. */
export function byDigest({ name, digest }: MachineImage): string {
  return `${name.replace(/:[^:/]*$/, '')}@${digest}`;
}
