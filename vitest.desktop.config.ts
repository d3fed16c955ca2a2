import { defineConfig } from 'vitest/config';

/** Tests that need an X server and real terminals: they fail where these are missing. */
export default defineConfig({
  test: {
    include: ['test/desktop/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // .ci/run allows one: real processes share a busy machine, what fails twice is broken, and the report
    // names what did not pass at once.
    retry: Number(process.env.TEST_RETRIES ?? 0),
  },
});
