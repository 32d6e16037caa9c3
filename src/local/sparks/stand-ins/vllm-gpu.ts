import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeWhole } from './files.ts';
import { readMachine } from './machine.ts';

/** What the engine does with the machine's GPU. */
export interface Gpu {
  /** How many requests it works on, from now on. */
  busy: (requests: number) => void;
  /** The work of one token. Never ends once the machine's engine is wedged. */
  token: () => Promise<void>;
}

const TOKEN_MS = 4;
const LOOK_MS = 100;

/** Its load is a file with the watts and percent that the pretend nvidia-smi shows. */
export function openGpu(machineFolder: string): Gpu {
  let running = 0;
  let lookedAt = 0;
  let wedged = false;

  function isWedged(): boolean {
    if (performance.now() - lookedAt > LOOK_MS) {
      const now = readMachine(machineFolder).wedged === true;
      lookedAt = performance.now();
      if (now !== wedged) {
        wedged = now;
        show();
      }
    }
    return wedged;
  }

  function show(): void {
    const load = running === 0 ? '10.87 0' : wedged ? '21.64 95' : '61.30 96';
    writeWhole(join(machineFolder, 'gpu-load'), `${load}\n`);
  }

  show();
  return {
    busy: (requests) => {
      running = requests;
      // A request that begins finds the machine as it is now.
      lookedAt = Number.NEGATIVE_INFINITY;
      show();
    },
    token: async () => {
      await delay(TOKEN_MS);
      while (isWedged()) await delay(LOOK_MS);
    },
  };
}
