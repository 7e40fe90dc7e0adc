import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { makeProgramsFolder } from './test/programs.mts';
import { SecondTries } from './test/second-tries.mts';
import { makeTemporaryFolder } from './test/temporary-folder.mts';

const cores = availableParallelism();
makeTemporaryFolder();

/** What every suite shares: real processes and databases, no colours, one time zone. */
const shared = {
  // Twice what the longest needs on a slow machine with two cores.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Real processes, terminals and browsers on a shared machine: one that fails by chance runs once more, and is named (test/second-tries.mts).
  retry: process.env.CI ? 1 : 0,
  env: {
    NO_COLOR: '1',
    TZ: 'UTC',
    // Reading that file takes as long as the rest of Node's start, and only npm goes where its certificates are asked for.
    NODE_EXTRA_CA_CERTS: '',
    TEST_HKCTL_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
  },
  setupFiles: 'test/setup.ts',
  // Gives the files of tests one PostgreSQL server, which the first that needs it starts.
  globalSetup: 'test/store/postgres/shared-server.ts',
  // A worker loads and compiles the program once for all its files of tests; it took a quarter of all time otherwise. So a file
  // must leave no work, listeners or variables of the environment behind.
  isolate: false,
  // Otherwise style sheets would be empty.
  css: true,
  // Many tests wait for processes and timers of their own: half as many workers again keep every core busy.
  maxWorkers: Math.ceil(cores * 1.5),
} as const;

/** The long suites wait still more: for terminals, browsers, killed daemons. */
const long = { ...shared, testTimeout: 300_000, maxWorkers: Math.ceil(cores * 2.5) };

/** Only stores on PostgreSQL do this; `npm test` tries PostgreSQL with the scenarios of the API alone. */
const onPostgres = 'test/**/postgres/**';

/** Where a file of tests stands, and how it is called, decides what runs it. */
export default defineConfig({
  test: {
    reporters: ['default', new SecondTries()],
    projects: [
      // `npm test`: seconds, and no program beyond those that everybody has.
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**', onPostgres],
          env: { ...shared.env, PATH: makeProgramsFolder() },
        },
      },
      // Kills, floods, races, browsers, long terminals and outages: minutes, other programs, the rights of root.
      {
        test: {
          ...long,
          name: 'slow',
          include: ['test/slow/**/*.test.ts', `${onPostgres}/*.test.ts`],
          // Properties with random seeds, and more of them (test/properties.ts); a failure names its seed and path.
          env: {
            ...shared.env,
            TEST_HKCTL_PROPERTY_ROUNDS: process.env.TEST_HKCTL_PROPERTY_ROUNDS ?? '2',
          },
          sequence: { groupOrder: 1 },
        },
      },
      // What faces a store of either engine: once more over PostgreSQL.
      {
        test: {
          ...long,
          name: 'postgres',
          include: ['test/**/*.pg.test.ts'],
          env: { ...shared.env, TEST_HKCTL_ENGINE: 'postgres' },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
