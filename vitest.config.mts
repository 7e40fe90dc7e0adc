import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { makeProgramsFolder } from './test/programs.mts';
import { propertyFiles } from './test/property-files.mts';
import { SecondTries } from './test/second-tries.mts';
import { LongestFirst } from './test/sequencer.mts';
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
  // A worker loads and compiles the program once for all its files of tests; it took a quarter of all time otherwise. So a file
  // must leave no work, listeners or variables of the environment behind.
  isolate: false,
  // Otherwise style sheets would be empty.
  css: true,
  // Many tests wait for processes and timers of their own: half as many workers again keep every core busy.
  maxWorkers: Math.ceil(cores * 1.5),
} as const;

/** The PATH of tests that need nothing beyond what `npm ci` brings. */
const withoutRights = { ...shared.env, PATH: makeProgramsFolder() };

/** The long suite waits still more: for terminals, browsers, killed daemons. */
const long = Math.ceil(cores * 2.5);

/**
 * Tests of processes that are about files of a store, or about none: locks and journals of files, the drivers of SQLite, a folder of
 * root, the demo of `npm start`, the clock of the machine, what is printed; or about programs of others, which see nothing of a store but the API.
 */
const aboutFiles = [
  'test/e2e/{daemon/journal,driver}.test.ts',
  'test/slow/e2e/{backup/backup,clock,failing-sync,durability/reserve,daemon/daemon-lock,daemon/socket-tls,daemon/read-only,init,postgres,rights,rotation-race,start,switched-first,desktop}.test.ts',
  'test/slow/e2e/secrets/{command-leaks,pipes}.test.ts',
  'test/slow/e2e/{full-disk-stops,daemon/service-manager,gateways/gateway-page,gateways/node-red}.test.ts',
];

/**
 * Tests of the API that open no store, since they import no plant and nothing of the stores: over another engine they would
 * prove nothing more. `test/http/scenarios.test.ts` would be `test/http/postgres.test.ts` once more.
 */
const withoutStore = readdirSync('test/http', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/http/${name}`)
  .filter((file) => !/ from '.*(?:plant|store)/.test(readFileSync(file, 'utf8')));

/** Tests of the API about what arrives on a socket before any store is asked. */
const aboutSockets =
  'test/http/{net/{connections,lingering,framing},ingest/{long-bodies,spare-memory}}.test.ts';

/** Commands that are about no files of a store, and about no instant of a clock, since keys expire by the clock of the database. */
const commands = [
  'test/cli/careless.test.ts',
  'test/cli/commands/{actors,import/import,keys/{scan,command-after}}.test.ts',
  'test/cli/delivery/{command,rotated-files,secret-files}.test.ts',
];

/** What makes property tests random, and more of them (test/properties.ts); a failure names its seed and path. */
const random = { TEST_HKCTL_PROPERTY_ROUNDS: process.env.TEST_HKCTL_PROPERTY_ROUNDS ?? '5' };

/**
 * What only stores on PostgreSQL do, and the conformance suite over them: a third of the time of all tests without rights. `npm test`
 * leaves them out; it tries PostgreSQL with the scenarios of the API alone.
 */
const onServer = [
  'test/store/postgres/**/*.test.ts',
  'test/store/{conformance/postgres,journeys/journeys,long-trail}.test.ts',
  'test/cli/stores/postgres{,-addresses}.test.ts',
];

/** Gives the files of tests one PostgreSQL server, which the first that needs it starts. */
const globalSetup = 'test/store/postgres/shared-server.ts';

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SecondTries()],
    projects: [
      {
        test: {
          ...shared,
          globalSetup,
          name: 'fast',
          env: withoutRights,
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**', ...onServer],
        },
      },
      {
        test: {
          ...shared,
          globalSetup,
          name: 'server',
          env: withoutRights,
          include: onServer,
          sequence: { groupOrder: 2 },
        },
      },
      // Over stores on PostgreSQL once more: the tests of the API, of processes and of commands.
      {
        test: {
          ...shared,
          globalSetup,
          name: 'postgres',
          include: [
            'test/http/**/*.test.ts',
            'test/slow/http/{routes,tasks}/**/*.test.ts',
            'test/{e2e,slow/e2e}/**/*.test.ts',
            ...commands,
          ],
          exclude: [
            'test/http/{postgres,scenarios}.test.ts',
            aboutSockets,
            ...withoutStore,
            ...aboutFiles,
          ],
          env: { ...shared.env, TEST_HKCTL_ENGINE: 'postgres' },
          testTimeout: 300_000,
          maxWorkers: long,
          sequence: { groupOrder: 1 },
        },
      },
      // The property tests of `npm test` once more, with random seeds.
      {
        test: {
          ...shared,
          globalSetup,
          name: 'properties',
          include: propertyFiles(),
          env: { ...shared.env, ...random },
          testTimeout: 300_000,
          maxWorkers: long,
          sequence: { groupOrder: 1 },
        },
      },
      // Kills, floods, races, browsers and long terminals: minutes instead of seconds, so they have a run of their own.
      {
        test: {
          ...shared,
          globalSetup,
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          env: { ...shared.env, ...random },
          testTimeout: 300_000,
          maxWorkers: long,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
