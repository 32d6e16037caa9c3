import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**', 'test/page/**'],
    globalSetup: ['test/support/redis-program.ts'],
    restoreMocks: true,
    // Stories mostly wait: more of them at a time than two cores have.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
