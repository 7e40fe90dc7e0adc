import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import type { Services } from './cli/command/services.ts';
import { nounIn } from './cli/command-words.ts';
import { report, runCommandLine } from './cli/run.ts';
import { createIo, type Io } from './cli/terminal/io.ts';
import { readEnvironment } from './config.ts';
import { secureRandom } from './core/secrets.ts';
import { isStoreAddress } from './core/store-address.ts';
import { createRights, type Rights } from './rights/rights.ts';
import type { StoreOptions } from './store/shared/options.ts';

/** The commit that was built, which `rolldown.config.mjs` puts here; empty if it is not known. */
declare const BUILD_METADATA: string;

/** The version with its build metadata (semver.org): `0.2.0+7b5bc9b9`. */
export const version = packageJson.version + (BUILD_METADATA && `+${BUILD_METADATA}`);

/**
 * The composition root: the only file that knows every layer. Loads each layer when a command first needs it, so that a
 * short command does not load the daemon, nor `--help` the store. Runs the command line of a process and returns its exit code.
 * `listening` receives the address of a daemon once it answers.
 */
export async function main(
  process: NodeJS.Process,
  listening?: (baseUrl: string) => void,
): Promise<number> {
  // A umask that takes rights from the owner would make files that hkctl itself could not open again.
  process.umask(process.umask() & 0o077);
  const argv = process.argv.slice(2);
  const environment = readEnvironment(process);
  const rights = createRights(process, process.env, __filename);
  const io = createIo(process, {
    ...environment,
    isDaemon: nounIn(argv)?.noun === 'serve',
    clock: Date.now,
    // On Linux this is CLOCK_BOOTTIME, which includes sleep, to 10 ms.
    uptime: () => Math.round(uptime() * 1000),
    random: secureRandom,
    newId: () => crypto.randomUUID(),
    actsAs: rights.switchedTo,
    copy: async (text, signal) =>
      (await import('./cli/terminal/desktop.ts')).copyText(text, signal),
    async open(url) {
      // A browser would have all rights of root.
      if (rights.areRoots()) throw new Error('root starts no browser');
      await (await import('./cli/terminal/desktop.ts')).openInBrowser(url);
    },
  });

  // Unhandled rejections arrive here, too.
  process.on('uncaughtException', (thrown) => {
    const exitCode = report(thrown, argv, io);
    process.exit(exitCode);
  });
  const services = createServices(io, rights, listening);
  return runCommandLine(argv, io, services);
}

function createServices(
  io: Pick<Io, 'clock' | 'uptime' | 'env' | 'osAccount'>,
  rights: Rights,
  listening?: (baseUrl: string) => void,
): Services {
  // The paths of the package, which only this file knows; its folders are next to `dist`.
  const options: StoreOptions = {
    clock: io.clock,
    env: io.env,
    osAccount: io.osAccount,
    migrationsFolder: join(__dirname, '..', 'migrations'),
    threads: {
      writer: join(__dirname, 'writer.cjs'),
      reader: join(__dirname, 'readings.cjs'),
    },
  };
  /** The engine for the store at a location, once this process is of the account that owns its folder. */
  const engine: Services['engine'] = async (location, how) => {
    const { engineAt } = await import('./store/open.ts');
    const engineOfStore = engineAt(location, options);
    // A database has no folder that another account could own.
    if (!isStoreAddress(location)) rights.switchFor(location, how);
    return engineOfStore;
  };
  return {
    version,
    engine,
    async backupSeries(...options) {
      const { backupSeries } = await import('./store/backup-file/series.ts');
      return backupSeries(...options);
    },
    async postgresSql(kind, location) {
      const { citusSql, rolesSql, schemaOf } = await import('./store/postgres/printed-sql.ts');
      const schema = schemaOf(location, io.env);
      if (kind === 'roles') return rolesSql(schema);

      const { resources } = await import('./resources/index.ts');
      return citusSql(schema, resources);
    },
    async serve(domain, settings, hooks) {
      const [{ serve }, { logFormOf }, { readServiceManager }, { resources }] = await Promise.all([
        import('./http/server.ts'),
        import('./http/monitoring/log-forms.ts'),
        import('./http/systemd/service-manager.ts'),
        import('./resources/index.ts'),
      ]);
      await serve(
        {
          domain,
          env: io.env,
          machineClock: io.clock,
          machineUptime: io.uptime,
          settings,
          resources,
          version,
          docsFolder: join(__dirname, 'docs'),
          pageFolder: join(__dirname, 'page'),
          manualFolder: __dirname,
          logForm: logFormOf(hooks.logFd, io.env, hooks.wrapLogLine),
          serviceManager: readServiceManager(io.env, process.pid),
        },
        {
          ...hooks,
          listening(baseUrl) {
            closeDebugger(process, io.env.NODE_OPTIONS);
            hooks.listening(baseUrl);
            listening?.(baseUrl);
          },
        },
      );
    },
    async example(name) {
      const examplePath = join(__dirname, 'examples', name);
      return readFileSync(examplePath, 'utf8');
    },
    async openapi(baseUrl) {
      const [{ openapiDocument }, { resources }] = await Promise.all([
        import('./http/openapi/document.ts'),
        import('./resources/index.ts'),
      ]);
      return openapiDocument(resources, { version, baseUrl });
    },
    async resources() {
      const { resources } = await import('./resources/index.ts');
      return resources;
    },
    async rowReader() {
      const { readRows } = await import('./formats/rows.ts');
      return readRows;
    },
    async readingReader() {
      const { readReadings } = await import('./formats/readings.ts');
      return readReadings;
    },
    async loadDemo(domain, actor, entity) {
      const { loadDemo } = await import('./demo/demo.ts');
      return loadDemo(domain, actor, entity);
    },
  };
}

/**
 * Closes Node's debugger unless a flag asked for it. A SIGUSR1 before `bin/hkctl.js` listens for it opens the debugger to every
 * account of this machine. Must run after the first event-loop iteration, in which Node opens it.
 */
function closeDebugger({ execArgv, getBuiltinModule }: NodeJS.Process, nodeOptions = ''): void {
  const nodeFlags = [...execArgv, ...nodeOptions.split(' ')];
  const isAskedFor = nodeFlags.some((flag) => /^--inspect(-brk|-wait)?(=|$)/.test(flag));
  if (!isAskedFor) getBuiltinModule('node:inspector').close();
}
