import { defineConfig } from 'vitest/config';

/** The tests that Stryker repeats for each mutant: those of one process, which need no built program and no server. */
export default defineConfig({
  test: {
    include: [
      'test/core/{access,audit,keys,operations}/**/*.test.ts',
      'test/core/{networks,secrets}.test.ts',
      'test/http/{allowed-addresses.pg,auth/*}.test.ts',
      'test/store/sqlite-file/**/*.test.ts',
    ],
    env: { NO_COLOR: '1', TZ: 'UTC', NODE_EXTRA_CA_CERTS: '' },
    setupFiles: 'test/setup.ts',
    css: true,
    testTimeout: 60_000,
  },
});
