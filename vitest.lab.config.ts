import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/lab/**/*.test.ts'],
    globalSetup: ['test/lab/support/set-up.ts'],
    // One lab a machine.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
