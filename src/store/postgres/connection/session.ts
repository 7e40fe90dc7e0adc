import { Socket } from 'node:net';
import { Client, type QueryConfig, types } from 'pg';
import { HkctlError } from '../../../core/errors.ts';
import { isLostConnection, toDomainError, unreachable } from './errors.ts';
import type { Host, Location } from './location.ts';
import { requirePassword } from './password-file.ts';
import { tlsOptions } from './tls.ts';

/** How a connection is made. */
export interface SessionOptions {
  /** Sends statements without waiting for the answers of earlier ones; for single statements only. */
  pipeline: boolean;
  /** Ends the connection where a statement gets no answer for so long. */
  silentMs: number;
  connectTimeoutMs: number;
}

const oldestVersion = 15;

/** One connection to the database. Errors are the domain's; a connection that was lost is never used again. */
export class Session {
  /** The driver's client, for COPY and cursors. */
  readonly client: Client;
  readonly host: Host;
  /** The start of the server, by which it can be distinguished from another one at the same address. */
  server = '';
  /** Whether a pooler is between: then the number that the connection has is not that of the server's process. */
  isPooled = false;
  readonly #socket: Socket;
  readonly #shown: string;
  #silentMs: number;
  #waiting = 0;
  #lastAnswerMs = 0;
  #lastTickMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended: HkctlError | undefined;
  #onEnd: () => void = () => {};

  private constructor(client: Client, host: Host, socket: Socket, shown: string, silentMs: number) {
    this.client = client;
    this.host = host;
    this.#socket = socket;
    this.#shown = shown;
    this.#silentMs = silentMs;
    // Without a listener the loss of a connection would end the process.
    client.on('error', (thrown) => this.destroy('the connection was lost', thrown));
    client.on('end', () => this.destroy('the connection was closed'));
  }

  /** Connects to the first host that answers and can be written. */
  static async open(location: Location, options: SessionOptions): Promise<Session> {
    let failed: unknown;
    for (const host of location.hosts) {
      try {
        return await Session.#openAt(host, location, options);
      } catch (thrown) {
        // The most telling failure is that of a server which did answer.
        const isNews = failed === undefined || !isLostConnection(thrown);
        if (isNews) failed = thrown;
      }
    }
    throw failed instanceof HkctlError ? failed : toDomainError(failed, location.shown);
  }

  static async #openAt(host: Host, location: Location, options: SessionOptions): Promise<Session> {
    const socket = new Socket();
    const client = new Client({
      host: host.address ?? host.host,
      port: host.port,
      database: location.database,
      user: location.user,
      password: location.password ?? (() => requirePassword({ ...location, ...host })),
      application_name: location.applicationName,
      ssl: tlsOptions(location.tls, host.host),
      pipeline: options.pipeline,
      connectionTimeoutMillis: options.connectTimeoutMs,
      keepAlive: true,
      stream: () => socket,
      types: { getTypeParser },
    });
    const session = new Session(client, host, socket, location.shown, options.silentMs);
    try {
      await client.connect();
      await session.#prepare(location);
      return session;
    } catch (thrown) {
      session.destroy('the connection was not completed');
      throw thrown;
    }
  }

  /** Whether statements can be sent. */
  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Called once when the connection is lost or closed. */
  set onEnd(call: () => void) {
    this.#onEnd = call;
  }

  /** Lets statements take longer from now on, or as long as before; returns how long that was. */
  allowSilence(ms: number): number {
    const before = this.#silentMs;
    this.#silentMs = ms;
    return before;
  }

  /** Runs a statement that this connection prepares under its name at the first use; the name stands for the text. */
  query<Row>(name: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.send<Row>({ name, text, values: [...values] }).then(({ rows }) => rows);
  }

  /** Runs a text of one or more statements without parameters. */
  async run(text: string): Promise<void> {
    await this.send(text);
  }

  /** Sends what the driver understands; the connection ends where no answer comes for too long. */
  send<Row>(config: string | (QueryConfig & { rowMode?: 'array' }), values?: unknown[]) {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#waiting++ === 0) this.#lastAnswerMs = performance.now();
    this.#watch();
    return this.client.query<Row & object>(config as QueryConfig, values).then(
      (result) => {
        this.#answered();
        return result;
      },
      (thrown) => {
        this.#answered();
        throw this.#ended ?? this.translate(thrown);
      },
    );
  }

  /** The domain's error for one of the driver. */
  translate(thrown: unknown): unknown {
    if (isLostConnection(thrown)) this.destroy('the connection was lost', thrown);
    return toDomainError(thrown, this.#shown);
  }

  /** Closes the connection at once; statements under way fail with `store_unreachable`. */
  destroy(why: string, cause?: unknown): void {
    if (this.#ended) return;
    this.#ended = unreachable(this.#shown, why, cause);
    clearInterval(this.#timer);
    this.#socket.destroy();
    this.#onEnd();
  }

  /** Waits for what is under way, then closes the connection. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#ended) return;
    await this.client.end();
  }

  #answered(): void {
    this.#waiting--;
    this.#lastAnswerMs = performance.now();
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const everyMs = this.#silentMs / 8;
    this.#lastTickMs = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // Where this process itself stood still, an answer may wait to be read.
      if (now - this.#lastTickMs > 3 * everyMs) this.#lastAnswerMs = now;
      this.#lastTickMs = now;
      if (this.#waiting > 0 && now - this.#lastAnswerMs > this.#silentMs) this.destroy('it does not answer');
    }, everyMs);
    this.#timer.unref();
  }

  /** Makes the session independent of the defaults of the server, and refuses servers that a store cannot be kept on. */
  async #prepare({ schema, target, shown }: Location): Promise<void> {
    const settings = `select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby,
        pg_postmaster_start_time()::text as server, pg_backend_pid() as pid,
        current_setting('transaction_read_only') = 'on' as readonly, current_setting('server_encoding') as encoding,
        set_config('search_path', $1, false), set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false),
        set_config('extra_float_digits', '1', false), set_config('bytea_output', 'hex', false),
        set_config('client_min_messages', 'warning', false), set_config('jit', 'off', false),
        set_config('lock_timeout', '5s', false), set_config('default_transaction_isolation', 'read committed', false),
        set_config('synchronous_commit', case when current_setting('synchronous_commit') in ('off', 'local') then 'on'
          else current_setting('synchronous_commit') end, false)`;
    const { rows } = await this.send<{
      version: number;
      server: string;
      pid: number;
      standby: boolean;
      readonly: boolean;
      encoding: string;
    }>({
      text: settings,
      // Temporary tables of others can never stand in for ours.
      values: [`"${schema}", pg_temp`],
    });
    const [server] = rows;
    if (!server) throw new Error('the server returned no settings');
    this.server = server.server;
    this.isPooled = 'processID' in this.client && this.client.processID !== server.pid;
    const major = Math.floor(server.version / 10_000);
    if (major < oldestVersion) {
      throw new HkctlError(
        'store_unreadable',
        `The PostgreSQL server of ${shown} has version ${major}; hkctl needs 15 or newer.`,
        {
          hint: 'Upgrade the server, or keep the store in SQLite.',
        },
      );
    }
    if (server.encoding !== 'UTF8') {
      throw new HkctlError(
        'store_unreadable',
        `The database of ${shown} has the encoding ${server.encoding}; hkctl needs UTF8.`,
        {
          hint: 'Make a database with: createdb --encoding=UTF8 --template=template0 NAME',
        },
      );
    }
    if (target === 'read-write' && (server.standby || server.readonly)) {
      throw new HkctlError(
        'store_unreachable',
        `The PostgreSQL store ${shown} is read-only: it is a standby, or was set so.`,
        {
          hint: 'Name the primary, or all servers with target_session_attrs=read-write in the address.',
        },
      );
    }
  }
}

const int8 = 20;

/** Whole numbers of eight bytes are numbers here: none of ours exceeds 53 bits. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 && format !== 'binary') return Number;
  return types.getTypeParser(oid, format as 'text'); // the driver's types name each format by itself
}
