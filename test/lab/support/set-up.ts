import { labUp } from './lab.ts';

/** The lab stays up after the run: `npm run lab -- down` ends it. */
export async function setup(): Promise<void> {
  await labUp();
}
