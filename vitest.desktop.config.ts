import { defineConfig } from 'vitest/config';

/** Tests that need an X server and real terminals: they fail where these are missing. */
export default defineConfig({
  test: {
    include: ['test/desktop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
