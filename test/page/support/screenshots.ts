import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the tests leave what they saw, for a person to look at. */
export const SCREENSHOTS = join(tmpdir(), 'sparkops-page');

export function teardown(): void {
  process.stdout.write(`Screenshots: ${SCREENSHOTS}\n`);
}
