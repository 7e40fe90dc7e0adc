import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What every suite shares: real processes and databases, no colours, one time zone. */
const shared = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Real processes, terminals and browsers on a shared machine: one that fails by chance is asked once more, and shown.
  retry: process.env.CI ? 1 : 0,
  env: { NO_COLOR: '1', TZ: 'UTC' },
} as const;

export default defineConfig({
  test: {
    // One worker a core: most tests wait for processes of their own.
    maxWorkers: availableParallelism(),
    projects: [
      { test: { ...shared, name: 'fast', include: ['test/**/*.test.ts'], exclude: ['test/endurance/**'] } },
      // Kills, floods, races and long terminals: minutes instead of seconds, so they have a run of their own.
      { test: { ...shared, name: 'endurance', include: ['test/endurance/**/*.test.ts'], testTimeout: 300_000 } },
    ],
  },
});
