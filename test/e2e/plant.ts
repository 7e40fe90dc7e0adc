import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, inject } from 'vitest';
import type { Store } from '../../src/core/port/store.ts';
import { isStoreAddress } from '../../src/core/store-address.ts';
import { openStore } from '../../src/store/sqlite/opening.ts';
import { onceForAll } from '../once.ts';
import type { Outcome } from '../run-program.ts';
import { type Api, type Call, call, createApi } from './client.ts';
import { cli, type Environment, environment, Running, root } from './program.ts';

/** A key as `keys … --json` shows it, as far as these tests ask. */
export interface KeyJson {
  id: string;
  prefix: string;
  name: string;
  status: string;
  expires_at: string | null;
  last_used_at: string | null;
  rotated_from: string | null;
  rotated_to: string | null;
}

export interface CreatedKey {
  key: KeyJson;
  secret: string;
}

/** A sensor as `import sensors` takes it. */
export interface SensorRow {
  id: string;
  code: string;
  name: string;
  unit: string | null;
}

/** A running daemon, and where it answers. */
export class Daemon extends Running {
  url = '';

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** All that it has written to its streams. */
  get log(): string {
    return `${this.stdout}${this.stderr}`;
  }

  /** The API with a key, as a client made from its document has it. */
  api(secret: string, options: Pick<Call, 'agent' | 'timeoutMs'> = {}): Api {
    return createApi(this.url, secret, options);
  }

  /** The status with which a key is answered that asks who it is. */
  async statusOf(secret: string): Promise<number> {
    return (await this.api(secret).GET('/api/v1/me')).response.status;
  }

  kill9(): Promise<Outcome> {
    return this.stop('SIGKILL');
  }
}

/**
 * A store of its own in a temporary folder, with the processes that work on it. Each command is a process of the real
 * program; all of them are gone and the folder removed after `close`.
 */
export class Plant {
  readonly folder: string;
  readonly store: string;
  readonly env: Environment;
  readonly #running = new Set<Running>();

  constructor(folder = mkdtempSync(join(tmpdir(), 'hkctl-e2e-')), more: Environment = {}) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.store = join(folder, 'store', 'hkctl.db');
    this.env = environment({ HOME: folder, HKCTL_STORE: this.store, HKCTL_USER: 'admin', ...more });
  }

  /** The organization Acme with the entity BER in Berlin, and the Super user `admin`; in a new database where tests run over PostgreSQL. */
  static async open(folder?: string, more: Environment = {}): Promise<Plant> {
    const isOnPostgres =
      process.env.TEST_HKCTL_ENGINE === 'postgres' && more.HKCTL_STORE === undefined;
    if (isOnPostgres) return new Plant(folder, { HKCTL_STORE: await Plant.#copied(), ...more });
    const plant = new Plant(folder, more);
    if (more.HKCTL_STORE === undefined) await plant.#copyFiles();
    else await plant.#init();
    return plant;
  }

  /** Copies the files of such a store, which is made once for all files of tests. */
  async #copyFiles(): Promise<void> {
    const folder = inject('postgresFolder');
    const made = new Plant(join(folder, 'plant'));
    await onceForAll(folder, 'plant-files', () => made.#init());
    cpSync(dirname(made.store), dirname(this.store), { recursive: true });
  }

  /** Address of a new database with such a store, a copy of one that is made once for all files of tests. */
  static async #copied(): Promise<string> {
    const { copiedDatabase } = await import('../store/postgres/databases.ts');
    return copiedDatabase('hkctl_plant', async (address) => {
      const first = new Plant(undefined, { HKCTL_STORE: address });
      await first.#init();
      await first.close();
    });
  }

  async #init(): Promise<void> {
    const site = [
      '--entity',
      'BER',
      '--entity-name',
      'Berlin plant',
      '--timezone',
      'Europe/Berlin',
    ];
    await this.ok(['init', '--org', 'Acme', '--week-start', 'monday', ...site, '--admin', 'admin']);
  }

  /** Where its store is: a file, or a database. */
  get place(): string {
    return this.env.HKCTL_STORE ?? this.store;
  }

  /** Whether its store is in a database server. */
  get isOnPostgres(): boolean {
    return isStoreAddress(this.place);
  }

  /** A path in the folder of this plant. */
  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): string {
    const path = this.path(name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  /** Starts a command; its standard input is a pipe that must be ended. */
  start(args: readonly string[], env: Environment = {}): Running {
    return this.attach(process.execPath, [cli, ...args], env);
  }

  /** Starts another program, which ends with the rest. */
  attach(
    program: string,
    args: readonly string[],
    env: Environment = {},
    cwd = this.folder,
  ): Running {
    const running = new Running(program, args, {
      env: environment({ ...this.env, ...env }),
      input: 'pipe',
      cwd,
    });
    this.#running.add(running);
    return running;
  }

  /** Runs a command to its end. */
  hkctl(
    args: readonly string[],
    { input = '', env = {} }: { input?: string; env?: Environment } = {},
  ) {
    const running = this.start(args, env);
    // A command that reads nothing may be gone before it reads that there is nothing.
    running.child.stdin?.on('error', () => {});
    running.child.stdin?.end(input);
    return running.ended;
  }

  /** Runs a command that must end well. */
  async ok(
    args: readonly string[],
    options: { input?: string; env?: Environment } = {},
  ): Promise<Outcome> {
    const outcome = await this.hkctl(args, options);
    expect(outcome.code, `hkctl ${args.join(' ')}\n${outcome.stderr}`).toBe(0);
    return outcome;
  }

  /** Runs a command with `--json` that must end well, and gives what it printed. */
  async json<T>(args: readonly string[], options: { input?: string } = {}): Promise<T> {
    return JSON.parse((await this.ok([...args, '--json'], options)).stdout);
  }

  createKey(name: string, preset: string, ...more: string[]): Promise<CreatedKey> {
    return this.json([
      'keys',
      'create',
      '--name',
      name,
      '--entity',
      'BER',
      '--preset',
      preset,
      ...more,
    ]);
  }

  key(ref: string): Promise<KeyJson> {
    return this.json(['keys', 'show', ref]);
  }

  async importSensors(rows: readonly SensorRow[]): Promise<void> {
    const input = rows.map((row) => JSON.stringify({ ...row, is_active: true })).join('\n');
    await this.ok(['import', 'sensors', '-', '--format', 'ndjson', '--entity', 'BER'], { input });
  }

  /** The store opened by the process of the tests itself, where the start of a command would take too long. */
  openStore(): Store {
    const migrationsFolder = join(root, 'migrations');
    return openStore(this.store, { clock: Date.now, migrationsFolder });
  }

  /** Starts the daemon on any free port, by default without limits, and waits until it answers. */
  async serve(env: Environment = {}, args: readonly string[] = []): Promise<Daemon> {
    const limits = {
      HKCTL_LIMIT_REQUESTS: 'off',
      HKCTL_LIMIT_INGEST: 'off',
      HKCTL_LIMIT_FAILED_CHECKS: 'off',
    };
    const environment = {
      ...this.env,
      HKCTL_PORT: '0',
      HKCTL_LOG_LEVEL: 'warn',
      ...limits,
      ...env,
    };
    const daemon = new Daemon(process.execPath, [cli, 'serve', ...args], { env: environment });
    this.#running.add(daemon);
    daemon.url = (await daemon.says(/hkctl serves (https?:\/\/[^\s/]+)/))[1] ?? '';
    if (daemon.url.startsWith('http:'))
      expect((await call(`${daemon.url}/readyz`)).status).toBe(200);
    return daemon;
  }

  /** Ends every process. */
  async end(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop('SIGKILL')));
  }

  /** Ends every process and removes the folder. */
  async close(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Where tests keep a store: nothing for their folder, or a new database. */
export async function placeOfTests(): Promise<Environment> {
  if (process.env.TEST_HKCTL_ENGINE !== 'postgres') return {};
  const { newDatabase } = await import('../store/postgres/databases.ts');
  return { HKCTL_STORE: await newDatabase() };
}
