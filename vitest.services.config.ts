import { defineConfig } from 'vitest/config';

/** Tests that need systemd, root and a control group file system: they fail where these are missing. */
export default defineConfig({
  test: {
    include: ['test/services/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // .ci/run allows one: real processes share a busy machine, what fails twice is broken, and the report
    // names what did not pass at once.
    retry: Number(process.env.TEST_RETRIES ?? 0),
  },
});
