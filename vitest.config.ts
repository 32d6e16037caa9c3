import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**', 'test/page/**'],
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
