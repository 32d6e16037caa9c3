import { join } from 'node:path';
import { readMachine, writeMachine } from '../../src/local/sparks/stand-ins/machine.ts';

/** Lets the engine of a pretend machine work again. `state`: the machine's state folder. */
export function unwedge(state: string): void {
  writeMachine({ ...readMachine(join(state, '../..')), wedged: false });
}
