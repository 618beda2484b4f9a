import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './test/support/closing-reporter.ts';

/** Limits such as "ends within 1 s" are the behaviour under test; a busy build machine gets a second try at them. */
const retry = process.env.CI ? 1 : 0;
const shared = { testTimeout: 30_000, hookTimeout: 60_000, pool: 'forks' as const, retry };

export default defineConfig({
  test: {
    ...shared,
    reporters: [['default', { summary: false }], new ClosingReporter()],
    projects: [
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts', 'src/**/*.test.tsx'] } },
      {
        test: {
          ...shared,
          name: 'program',
          include: ['test/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
});
