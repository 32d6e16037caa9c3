import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**', 'test/page/**'],
    globalSetup: ['test/support/redis-program.ts'],
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
