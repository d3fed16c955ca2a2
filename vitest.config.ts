import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whole-process tests spawn Node many times; the limit only ends a hung one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
