import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Real processes, terminals and browsers on a shared machine: one that fails by chance is asked once more, and shown.
    retry: process.env.CI ? 1 : 0,
    env: { NO_COLOR: '1', TZ: 'UTC' },
  },
});
