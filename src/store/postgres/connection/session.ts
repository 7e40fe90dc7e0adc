import { Socket } from 'node:net';
import type { Client, QueryConfig } from 'pg';
import { sha256 } from '../../../core/digest.ts';
import type { HkctlError } from '../../../core/errors.ts';
import type { Host, Location } from '../address/location.ts';
import {
  isLostConnection,
  isSilence,
  toDomainError,
  unreachable,
  whileConnecting,
} from '../errors/errors.ts';
import { createClient } from './client.ts';
import { sendRows } from './copy.ts';
import { prepareSession, type SessionServer } from './server-settings.ts';

/** How long a connection may be silent; its owner may change that while it is open. */
export interface SessionOptions {
  /** The time without an answer after which the connection ends, unless it is in long work, or the server works for it. */
  silentMs: number;
  connectTimeoutMs: number;
  /** In a daemon: an idle connection is asked for an answer now and then, and no statement waits for long. */
  isPrompt?: boolean;
  /** Absent for the connection on which others are watched: nothing shows whether the server works for it. */
  watch?: Watch;
  /** Whether rows are found by their keys, except in transactions; otherwise the planner decides. */
  findsByKey?: boolean;
}

/**
 * The activity of the server's process of a connection: it works on a statement; it waits for something that may never come, such
 * as a lock or a standby; or it waits for this program, which waits for it: the statement does not arrive.
 */
export type Activity = 'working' | 'waiting' | 'silent';

/** How a silent connection is noticed, such as one that a firewall has dropped, although the server answers others. */
export interface Watch {
  /** After so long without an answer, and again after as long, another connection finds out what the server does. */
  everyMs: number;
  activityOf(session: PostgresSession): Promise<Activity>;
}

/** The most statements of a connection. */
const mostStatements = 500;
/** How long a server may take to close a connection; one that hangs never does. */
const closeMs = 2000;
/** The longest time between two checks of what a server sends. */
const longestCheckMs = 100;
/** An idle connection is asked for an answer after so long: a dropped one is noticed before it is needed. */
const idleMs = 5000;
/** A daemon gives up a statement that waits for so long: its clients get 503 within 2 s. */
const promptMs = 1200;

/** One connection to the database. Errors are the domain's; a connection that was lost is never used again. */
export class PostgresSession {
  readonly host: Host;
  readonly location: Location;
  /** The server, once it has let this connection in. */
  server: SessionServer = { version: 0, startedAt: '', pid: 0 };
  /** The last record that the transaction in progress has added to the audit chain. */
  audit: { seq: number; hash: string } | undefined;
  /** Whether statements take as long as they need while the server answers other connections. */
  isLong = false;
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  /** The names of its prepared statements by their texts. */
  readonly #names = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  readonly #onEnd: (() => void)[] = [];
  #ended: HkctlError | undefined;
  /** The statements without an answer yet. */
  #waiting = 0;
  /** The time since the last answer, up to the last tick of the timer. */
  #silentMs = 0;
  #tickedAtMs = 0;
  /** The silence after which another connection asks for the activity of the server. */
  #suspectMs = 0;
  #silentReports = 0;

  private constructor(
    client: Client,
    host: Host,
    socket: Socket,
    location: Location,
    options: SessionOptions,
  ) {
    this.#client = client;
    this.host = host;
    this.#socket = socket;
    this.location = location;
    this.#options = options;
    // Without a listener the loss of a connection would end the process.
    client.on('error', (thrown) => this.destroy('the connection was lost', thrown));
    client.on('end', () => this.destroy('the connection was closed'));
    const everyMs = Math.min(options.silentMs / 8, longestCheckMs);
    this.#answered();
    this.#timer = setInterval(() => this.#tick(everyMs), everyMs).unref();
  }

  static async open(location: Location, options: SessionOptions): Promise<PostgresSession> {
    let failure: unknown;
    for (const host of location.hosts) {
      try {
        return await PostgresSession.#openAt(host, location, options);
      } catch (thrown) {
        // The failure of a server that did answer tells most.
        const tellsMore = failure === undefined || !isLostConnection(thrown);
        if (tellsMore) failure = thrown;
      }
    }
    throw whileConnecting(failure, location.shown);
  }

  static async #openAt(
    host: Host,
    location: Location,
    options: SessionOptions,
  ): Promise<PostgresSession> {
    const socket = new Socket();
    const { client, connect } = createClient(host, location, socket, options.connectTimeoutMs);
    const session = new PostgresSession(client, host, socket, location, options);
    try {
      await connect();
      session.server = await prepareSession(session, location, options.findsByKey);
      return session;
    } catch (thrown) {
      session.destroy('the connection was not completed');
      throw thrown;
    }
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Whether another connection should take its place, since the server keeps a plan of each statement until this one ends. */
  get isWorn(): boolean {
    return this.#names.size >= mostStatements;
  }

  /** Calls back once when the connection is lost or closed. */
  onEnd(callback: () => void): void {
    this.#onEnd.push(callback);
  }

  /** Calls back with the payload of each notification on a channel that this connection listens on. */
  onNotification(channel: string, callback: (payload: string) => void): void {
    this.#client.on('notification', (message) => {
      if (message.channel === channel) callback(message.payload ?? '');
    });
  }

  /** Runs a statement that this connection prepares at its first use. */
  query<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    const prepared = this.#prepared(statement, values);
    return this.send<Row>(prepared).then(({ rows }) => rows);
  }

  /** The same; a row is the values of its columns. */
  queryArrays(statement: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const prepared = this.#prepared(statement, values);
    const arrayConfig = { ...prepared, rowMode: 'array' as const };
    return this.send<unknown[]>(arrayConfig).then(({ rows }) => rows);
  }

  #prepared(statement: string, values: readonly unknown[]) {
    // A name that is the same everywhere: a pooler that shares connections would run another statement under it.
    const statementName =
      this.#names.get(statement) ?? `hkctl.${sha256(statement, 'base64url').slice(0, 22)}`;
    this.#names.set(statement, statementName);
    return { name: statementName, text: statement, values: [...values] };
  }

  async run(statement: string): Promise<void> {
    await this.send(statement);
  }

  /** Sends a query of the driver; the connection ends if no answer comes for too long. */
  send<Row>(config: string | (QueryConfig & { rowMode?: 'array' })) {
    return this.#answerTo(() => this.#client.query<Row & object>(config as QueryConfig));
  }

  /** Sends all rows of a COPY at once; nothing else may be sent meanwhile. */
  copy(statement: string, rows: Buffer): Promise<void> {
    return this.#answerTo(() => sendRows(this.#client, statement, rows));
  }

  translate(thrown: unknown): unknown {
    if (isLostConnection(thrown)) this.destroy('the connection was lost', thrown);
    // Why this process has ended the connection says more than that it has ended.
    return isLostConnection(thrown) && this.#ended?.cause !== thrown
      ? this.#ended
      : toDomainError(thrown, this.location.shown);
  }

  /** Closes the connection at once; running statements fail with `store_unreachable`. */
  destroy(why: string, cause?: unknown): void {
    if (this.#ended) return;
    this.#ended = unreachable(this.location.shown, why, cause);
    clearInterval(this.#timer);
    this.#socket.destroy();
    for (const callback of this.#onEnd) callback();
  }

  /** Closes the connection once running statements are answered. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#ended) return;
    const closeTimeout = setTimeout(() => this.#socket.destroy(), closeMs);
    await this.#client.end().finally(() => clearTimeout(closeTimeout));
  }

  async #answerTo<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#ended) throw this.#ended;
    if (this.#waiting++ === 0) this.#answered();
    try {
      return await send();
    } catch (thrown) {
      throw this.#ended ?? this.translate(thrown);
    } finally {
      this.#waiting--;
      this.#answered();
    }
  }

  #answered(): void {
    this.#silentMs = 0;
    this.#tickedAtMs = performance.now();
    this.#suspectMs = this.#options.watch?.everyMs ?? 0;
    this.#silentReports = 0;
  }

  #tick(everyMs: number): void {
    const nowMs = performance.now();
    // While this process itself stood still, an answer may have come that waits to be read.
    this.#silentMs += Math.min(nowMs - this.#tickedAtMs, 2 * everyMs);
    this.#tickedAtMs = nowMs;

    const { silentMs, connectTimeoutMs, isPrompt, watch } = this.#options;
    const isConnecting = this.server.pid === 0;
    if (this.#waiting === 0) {
      // Any answer is one, also a refusal; a connection that was lost reports that itself.
      if (isPrompt && !isConnecting && this.#silentMs > idleMs)
        this.query('select').catch(() => {});
      return;
    }
    if (watch && !isConnecting) {
      if (this.#silentMs < this.#suspectMs) return;
      this.#suspectMs = Number.POSITIVE_INFINITY;
      void this.#check(watch);
      return;
    }

    const mostSilentMs = isConnecting ? Math.min(silentMs, connectTimeoutMs) : silentMs;
    if (!this.isLong && this.#silentMs > mostSilentMs) this.destroy('it does not answer');
  }

  async #check({ everyMs, activityOf }: Watch): Promise<void> {
    const silentBeforeMs = this.#silentMs;
    const bytesBefore = this.#socket.bytesRead;
    const activity = await activityOf(this).catch((thrown: unknown): Activity => {
      if (isSilence(thrown)) this.destroy('it does not answer', thrown);
      // If the server cannot be asked, nothing shows that there will be an answer.
      return 'waiting';
    });
    // An answer has come meanwhile.
    if (this.#silentMs < silentBeforeMs) return;
    this.#suspectMs = this.#silentMs + everyMs;

    if (activity !== 'silent' || bytesBefore !== this.#socket.bytesRead) this.#silentReports = 0;
    else if (++this.#silentReports > 1) this.destroy('it does not answer');

    const mostSilentMs = this.#options.isPrompt ? promptMs : this.#options.silentMs;
    const isLate = this.#silentMs > mostSilentMs;
    if (isLate && activity === 'waiting' && !this.isLong)
      this.destroy('it waits for another change');
  }
}
