import { defineConfig } from 'vitest/config';

/** The flows in browsers, one for each file of tests. */
export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: ['flows/setup.ts'],
    include: ['flows/**/*.flow.ts'],
    // Generous, because a busy machine is slow and not wrong.
    testTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
    // A browser has work for more than one core by itself.
    maxWorkers: 2,
  },
});
