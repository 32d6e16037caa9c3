import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**', 'test/page/**'],
    globalSetup: ['test/support/redis-program.ts'],
    restoreMocks: true,
    // Stories start programs all the time: more of them at once would only wait for each other.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
