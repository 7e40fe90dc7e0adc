import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, inject } from 'vitest';
import type { Services } from '../../src/cli/command/services.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Io } from '../../src/cli/terminal/io.ts';
import { createSignals } from '../../src/cli/terminal/signals.ts';
import type { SpaceFacts } from '../../src/core/operations/inspection.ts';
import { backupSeries } from '../../src/store/backup-file/series.ts';
import { engineAt } from '../../src/store/open.ts';
import { citusSql, rolesSql, schemaOf } from '../../src/store/postgres/printed-sql.ts';
import { filesOf } from '../../src/store/sqlite/connection/files.ts';
import { atEndOfFile } from '../ends.ts';
import { onceForAll } from '../once.ts';
import { threads } from '../store/stores.ts';
import { collect } from './collected-output.ts';
import { type TypedKey, typeKeys } from './keyboard.ts';

/** The instant at which tests stand still unless they say otherwise. */
export const startMs = Date.parse('2026-11-20T08:00:00Z');
/** When the machine of the tests started. */
export const bootMs = Date.parse('2026-11-01T00:00:00Z');

/** How one command line is run. */
export interface RunOptions {
  env?: Record<string, string>;
  /** Standard input as a text, or as a stream that the test writes; without it an empty one. */
  input?: string | Buffer | PassThrough;
  /** A terminal of this size on all three streams; keys and answers come from `keys`. */
  terminal?: { columns: number; rows: number };
  /** Written to the terminal one after the other, each once the program waits for input. */
  keys?: readonly (string | TypedKey)[];
  nowMs?: number;
  /** How long the machine has run; without it as if nobody ever set its clock. */
  upMs?: number;
  osAccount?: string;
  /** No variable names the store: it is the default, the one of the system's daemon. */
  isSystemStore?: boolean;
  otherStorePath?: string;
  /** No variable names the store, and the account may not enter the folder of the system's one. */
  closedSystemStore?: { folder: string; account: string };
  /** The account that root has switched to. */
  actsAs?: string;
  copy?: (text: string, signal: AbortSignal) => Promise<void>;
  /** What a write to standard output does; throws to play a closed pipe or a full disk. */
  onWrite?: (text: string) => void;
  /** The same for standard error. */
  onWarn?: (text: string) => void;
  /** Ends a command that goes on until Ctrl-C. */
  interrupted?: AbortSignal;
}

/** What came of it. */
export interface RunResult {
  code: number;
  stdout: string;
  stderr: string;
  /** What standard output received that is no text. */
  bytes: Buffer;
  /** The error of `--json`. */
  error(): { code: string; message: string; hint: string | null };
  json<T = Record<string, unknown>>(): T;
}

/** A store in a folder of its own, and command lines run on it in this process. */
export class Cli {
  /** The file of the store, unless it is on PostgreSQL; its folder is that of the test. */
  readonly store: string;
  /** Where the store is: a file or an address. */
  place: string;
  readonly services: Services;
  nowMs = startMs;
  /** The disk of the store: how full that of the tests is, is not theirs to say. */
  space: SpaceFacts = { freeBytes: 2 ** 40, totalBytes: 2 ** 41, hasReserve: true };

  constructor(store?: string) {
    this.store = store ?? join(createFolder(), 'state', 'hkctl.db');
    this.place = this.store;
    this.services = createServices(
      () => this.nowMs,
      () => this.space,
    );
  }

  async run(line: string | readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const argv = typeof line === 'string' ? splitWords(line) : line;
    const stdout = collect(options.terminal, options.onWrite);
    const stderr = collect(options.terminal, options.onWarn);
    const given = options.input instanceof PassThrough ? options.input : undefined;
    const stdin = given ?? new PassThrough();
    if (!given && !options.terminal) stdin.end(options.input ?? '');
    const io: Io = {
      stdin: Object.assign(stdin, { isTTY: options.terminal !== undefined, setRawMode: () => {} }),
      stdinIsTTY: options.terminal !== undefined,
      stdout: stdout.output,
      stderr: stderr.output,
      promptOutput: stderr.stream,
      env: {
        ...(!options.isSystemStore &&
          !options.otherStorePath &&
          !options.closedSystemStore && { HKCTL_STORE: this.place }),
        ...(options.terminal && { TERM: 'xterm' }),
        ...options.env,
      },
      osAccount: options.osAccount ?? 'root',
      defaultStorePath: this.place,
      isSystemStore: options.isSystemStore ?? false,
      otherStorePath: options.otherStorePath,
      closedSystemStore: () => options.closedSystemStore,
      program: ['/usr/bin/node', '/usr/lib/hkctl/bin/hkctl.js'],
      clock: () => options.nowMs ?? this.nowMs,
      uptime: () => options.upMs ?? (options.nowMs ?? this.nowMs) - bootMs,
      random: randomBytes,
      newId: randomUUID,
      actsAs: () => options.actsAs,
      copy: options.copy ?? (() => Promise.reject(new Error('no clipboard'))),
      open: () => Promise.reject(new Error('no browser')),
      interrupted: () => options.interrupted ?? new AbortController().signal,
      signals: createSignals(Object.assign(new EventEmitter(), { pid: 0, kill: () => true })),
    };
    const running = runCommandLine(argv, io, this.services);
    const code = await (!given && options.terminal
      ? codeOnceTyped(running, (ended) =>
          typeKeys(stdin, options.keys ?? [], () => [stdout.text, stderr.text], ended),
        )
      : running);
    return {
      code,
      stdout: stdout.text,
      stderr: stderr.text,
      bytes: stdout.bytes,
      error: () => JSON.parse(stderr.text).error,
      json: () => JSON.parse(stdout.text),
    };
  }

  /** Runs a line that must end well. */
  async ok(line: string | readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const result = await this.run(line, options);
    expect(result.code, `${String(line)}: ${stripVTControlCharacters(result.stderr)}`).toBe(0);
    return result;
  }

  /** The organization Acme with the sites BER and CHI, and a profile of each role; in a new database where tests run over PostgreSQL. */
  async seed(): Promise<this> {
    if (process.env.TEST_HKCTL_ENGINE === 'postgres') this.place = (await Cli.onPostgres()).place;
    else await this.#copySeeded();
    return this;
  }

  /** Copies the files of a store that is filled once for all files of tests. */
  async #copySeeded(): Promise<void> {
    const folder = inject('postgresFolder');
    const seeded = filesOf(join(folder, 'seeded', 'hkctl.db'));
    await onceForAll(folder, 'seeded-store', async () => {
      await new Cli(seeded.registry).fill();
    });
    mkdirSync(dirname(this.store), { recursive: true, mode: 0o700 });
    const own = Object.values(filesOf(this.store));
    for (const [at, file] of Object.values(seeded).entries()) {
      if (existsSync(file)) copyFileSync(file, own[at] ?? '', constants.COPYFILE_EXCL);
    }
  }

  /** The same in a new database, a copy of one that is filled once for all files of tests. */
  static async onPostgres(): Promise<Cli> {
    const { copiedDatabase } = await import('../store/postgres/databases.ts');
    return new Cli(
      await copiedDatabase('hkctl_seeded', async (address) => {
        await new Cli(address).fill();
      }),
    );
  }

  /** The same by commands, in a store that shares no id with others. */
  async fill(): Promise<this> {
    await this.ok([
      'init',
      '--org',
      'Acme',
      '--week-start',
      'monday',
      '--entity',
      'BER',
      '--entity-name',
      'Berlin plant',
      '--timezone',
      'Europe/Berlin',
      '--admin',
      'root',
    ]);
    await this.ok('entities add CHI --name Chicago --timezone America/Chicago');
    for (const role of ['entity_admin', 'manager', 'operator', 'master_data']) {
      await this.ok(['users', 'add', role, '--name', `The ${role}`, '--role', role]);
    }
    return this;
  }

  /** Makes a key and gives it with its secret. */
  async key(name: string, more: readonly string[] = []): Promise<{ key: KeyJson; secret: string }> {
    const entity = more.includes('--entity') ? [] : ['--entity', 'BER'];
    const result = await this.ok([
      'keys',
      'create',
      '--name',
      name,
      ...entity,
      '--preset',
      'sensor-gateway',
      '--json',
      ...more,
    ]);
    return result.json();
  }

  async show(ref: string): Promise<KeyJson> {
    const {
      usage: _,
      pending_commands: __,
      ...key
    } = (await this.ok(['keys', 'show', ref, '--json'])).json<
      KeyJson & { usage: unknown; pending_commands: unknown }
    >();
    return key;
  }
}

/** A key as `--json` shows it. */
export interface KeyJson {
  id: string;
  prefix: string;
  name: string;
  status: 'Active' | 'Expired' | 'Revoked';
  refused: 'entity_inactive' | 'entity_missing' | 'creator_inactive' | null;
  entity: { id: string; code: string; name: string } | null;
  permissions: string[];
  created_by: { login: string; name: string };
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  revoked_by: { login: string; name: string } | null;
  rotated_from: string | null;
  rotated_to: string | null;
  allowed_ips: string[];
  note: string | null;
  last_used_ip: string | null;
}

/** The services of the composition root that tests of the command line need. */
export function createServices(clock: () => number, space?: () => SpaceFacts): Services {
  const options = { clock, migrationsFolder: join(__dirname, '..', '..', 'migrations'), threads };
  return {
    version: '0.0.0-test',
    engine: async (location) => {
      const engine = engineAt(location, options);
      if (!space) return engine;
      const inspect = async () => {
        const inspection = await engine.inspect();
        return inspection.space ? { ...inspection, space } : inspection;
      };
      return { ...engine, inspect };
    },
    backupSeries: async (...of) => backupSeries(...of),
    postgresSql: async (what, path) =>
      what === 'roles' ? rolesSql(schemaOf(path, {})) : citusSql(schemaOf(path, {}), []),
    serve: async (_domain, _settings, hooks) => hooks.listening('http://127.0.0.1:8420'),
    example: async (name) =>
      readFileSync(join(__dirname, '..', '..', 'man', 'examples', name), 'utf8'),
    openapi: async (baseUrl) => ({ openapi: '3.1.0', servers: baseUrl ? [{ url: baseUrl }] : [] }),
    resources: async () => (await import('../../src/resources/index.ts')).resources,
    readingReader: async () => (await import('../../src/formats/readings.ts')).readReadings,
    rowReader: async () => (await import('../../src/formats/rows.ts')).readRows,
    loadDemo: async (...given) => (await import('../../src/demo/demo.ts')).loadDemo(...given),
  };
}

/** The exit code of a command while keys are typed; rejects if one of them never has its turn. */
async function codeOnceTyped(
  running: Promise<number>,
  type: (ended: AbortSignal) => Promise<void>,
): Promise<number> {
  const ending = new AbortController();
  const typing = type(ending.signal);
  try {
    return await Promise.race([running, typing.then(() => running)]);
  } finally {
    ending.abort();
  }
}

/** A folder that is removed at the end of the file of tests. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-cli-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
}
