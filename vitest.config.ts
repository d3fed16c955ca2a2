import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need more than Node: vitest.services.config.ts, vitest.desktop.config.ts, vitest.packages.config.ts.
    exclude: [...configDefaults.exclude, 'test/services/**', 'test/desktop/**', 'test/packages/**'],
    // Whole-process tests spawn Node many times; the limit only ends a hung one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // .ci/run allows one: real processes share a busy machine, what fails twice is broken, and the report
    // names what did not pass at once.
    retry: Number(process.env.TEST_RETRIES ?? 0),
  },
});
