import { defineConfig } from 'vitest/config';
import { findChromium } from './test/page/support/chromium.ts';

if ((await findChromium()) === undefined) {
  process.stderr.write('Chromium is missing: apt-get install chromium, or set CHROMIUM to its path\n');
  process.exit(1);
}

export default defineConfig({
  test: {
    include: ['test/page/**/*.test.ts'],
    globalSetup: ['test/support/redis-program.ts', 'test/page/support/screenshots.ts'],
    testTimeout: 60_000,
    // Each story is a browser, a demo and a Redis.
    maxWorkers: 2,
  },
});
