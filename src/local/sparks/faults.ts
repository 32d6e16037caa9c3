import type { Machine } from './stand-ins/machine.ts';

/** What can be wrong with the pretend Sparks, in one line each. A fault changes a machine; what programs print follows from that. */
export const FAULTS = {
  'wrong-address': 'Ray on spark1 registers the management address, which spark2 cannot reach',
  'serve-dies': 'the engine runs out of GPU memory while it loads',
  hang: 'the engine stops printing while it loads',
  'ssh-refused': 'spark1 refuses SSH connections',
  'wrong-host-key': 'spark2 shows another host key than the expected one',
  entrypoint: 'the image has an entrypoint of its own that ignores its arguments',
  'missing-image': 'spark2 lacks the image',
  'ray-without-gpu': 'containers on spark2 see no GPU',
  'no-program': 'the image has no ray',
  'foreign-container': 'somebody has started vllm_node by hand on both nodes, on port 8000 of spark1',
  'foreign-process': 'somebody has started a model on spark2 without a container',
  'port-taken': 'a foreign program listens on port 8000 of spark1',
  wedged: 'the engine hangs in its requests: no token comes, and the GPU draws little',
  slow: 'the engine takes a minute to load, and the demo gives up after 45 s',
} as const;

export type FaultName = keyof typeof FAULTS;

const SLOW_SECONDS = 60;
/** The entrypoint that ignores its arguments; made with the machine. */
export const OWN_ENTRYPOINT = 'serve-default';

/** The part of a fault that is in a machine's own description; SSH and ports are changed where they are opened. */
export function spoil(machine: Machine, fault: FaultName): Machine {
  const spoilt = structuredClone(machine);
  spoilers[fault]?.(spoilt, spoilt.name === 'spark1');
  return spoilt;
}

const spoilers: Partial<Record<FaultName, (machine: Machine, head: boolean) => void>> = {
  'wrong-address': (machine, head) => (machine.rayLosesAddress = head),
  'serve-dies': (machine) => (machine.load = 'dies'),
  hang: (machine) => (machine.load = 'hangs'),
  wedged: (machine) => (machine.wedged = true),
  slow: (machine) => (machine.loadSeconds = SLOW_SECONDS),
  entrypoint: (machine) =>
    (machine.images = machine.images.map((image) => ({ ...image, entrypoint: [OWN_ENTRYPOINT] }))),
  'missing-image': (machine, head) => (machine.images = head ? machine.images : []),
  'ray-without-gpu': (machine, head) => (machine.containerGpus = head ? machine.containerGpus : 0),
};
