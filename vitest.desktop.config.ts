import { defineConfig } from 'vitest/config';

/** Tests that need an X server and real terminals: they fail where these are missing. */
export default defineConfig({
  test: {
    include: ['test/desktop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Real processes on a machine that does other things too: what fails twice is broken, and the report
    // names what did not pass at once.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
