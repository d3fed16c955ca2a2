import { defineConfig } from 'vitest/config';

/** Tests of what is given to people: the tarball for npm, on the Node that runs this, and the executable. */
export default defineConfig({
  test: {
    include: ['test/packages/**/*.test.ts'],
    // The demo is in real time.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // .ci/run allows one: real processes share a busy machine, what fails twice is broken, and the report
    // names what did not pass at once.
    retry: Number(process.env.TEST_RETRIES ?? 0),
  },
});
