import { Socket } from 'node:net';
import type { Client, QueryConfig } from 'pg';
import { sha256 } from '../../../core/digest.ts';
import type { HkctlError } from '../../../core/errors.ts';
import type { Host, Location } from '../address/location.ts';
import { isLostConnection, isSilence, toDomainError, unreachable, whileConnecting } from '../errors/errors.ts';
import { createClient } from './client.ts';
import { sendRows } from './copy.ts';
import { prepareSession } from './server-settings.ts';

export interface SessionOptions {
  /** The time without an answer to a statement after which the connection ends, except in long work. */
  silentMs: number;
  connectTimeoutMs: number;
  /** In a daemon: an idle connection is asked for an answer now and then, and no statement waits for long. */
  isPrompt?: boolean;
  /** Absent for the connection that others ask on. */
  watch?: Watch;
}

/**
 * What the server's process of a connection does: it works on a statement; it waits for something that may never come, such as
 * a lock or a standby; or it waits for this program, which waits for it: what was sent does not arrive.
 */
export type Activity = 'working' | 'waiting' | 'silent';

/** How a connection is noticed that is silent, as one that a firewall has dropped, although the server answers others. */
interface Watch {
  /** After so long without an answer, and again after as long, another connection finds out what the server does. */
  everyMs: number;
  activityOf(pid: number): Promise<Activity>;
}

/** The most statements of a connection. */
const mostStatements = 500;
/** How long a server may take to close a connection; one that hangs never does. */
const closeMs = 2000;
/** The longest time between two checks of what a server sends. */
const longestCheckMs = 100;
/** A connection without work for so long is asked for an answer: one that was dropped is noticed before it is needed. */
const idleMs = 5000;
/** A daemon gives up a statement that waits for so long: its clients get 503 within 2 s. */
const promptMs = 1200;

/** One connection to the database. Errors are the domain's; a connection that was lost is never used again. */
export class Session {
  readonly client: Client;
  readonly host: Host;
  readonly location: Location;
  /** The start of the server, by which it can be distinguished from another one at the same address. */
  server = '';
  /** The version of the server, such as 150004. */
  version = 0;
  /** The last record that the transaction in progress has added to the audit chain. */
  audit: { seq: number; hash: string } | undefined;
  /** Whether statements take as long as they need while the server answers other connections. */
  isLong = false;
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  /** The names of its prepared statements by their texts. */
  readonly #names = new Map<string, string>();
  #pid = 0;
  #silentMs: number;
  #checkedMs = 0;
  #silentReports = 0;
  #answers = 0;
  #waiting = 0;
  #lastAnswerMs = 0;
  #lastTickMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended: HkctlError | undefined;
  #onEnd: () => void = () => {};

  private constructor(client: Client, host: Host, socket: Socket, location: Location, options: SessionOptions) {
    this.client = client;
    this.host = host;
    this.#socket = socket;
    this.location = location;
    this.#silentMs = Math.min(options.silentMs, options.connectTimeoutMs);
    this.#options = options;
    // Without a listener the loss of a connection would end the process.
    client.on('error', (thrown) => this.destroy('the connection was lost', thrown));
    client.on('end', () => this.destroy('the connection was closed'));
  }

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
    throw whileConnecting(failed, location.shown);
  }

  static async #openAt(host: Host, location: Location, options: SessionOptions): Promise<Session> {
    const socket = new Socket();
    const { client, connect } = createClient(host, location, socket, options.connectTimeoutMs);
    const session = new Session(client, host, socket, location, options);
    session.#watch();
    try {
      await connect();
      const { server, version, pid } = await prepareSession(session, location);
      session.server = server;
      session.version = version;
      session.#pid = pid;
      session.#silentMs = options.silentMs;
      return session;
    } catch (thrown) {
      session.destroy('the connection was not completed');
      throw thrown;
    }
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Called once when the connection is lost or closed. */
  set onEnd(call: () => void) {
    this.#onEnd = call;
  }

  /** Whether another connection should take its place, since the server keeps a plan of each statement until this one ends. */
  get isWorn(): boolean {
    return this.#names.size >= mostStatements;
  }

  /** Runs a statement that this connection prepares at its first use. */
  query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // A name that is the same everywhere: a pooler that shares connections would run another statement under it.
    const name = this.#names.get(text) ?? `hkctl.${sha256(text, 'base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return this.send<Row>({ name, text, values: [...values] }).then(({ rows }) => rows);
  }

  async run(text: string): Promise<void> {
    await this.send(text);
  }

  /** Sends what the driver understands; the connection ends if no answer comes for too long. */
  send<Row>(config: string | (QueryConfig & { rowMode?: 'array' }), values?: unknown[]) {
    return this.#answerTo(() => this.client.query<Row & object>(config as QueryConfig, values));
  }

  /** Sends all rows of a COPY at once; nothing else may be sent meanwhile. */
  copy(text: string, rows: Buffer): Promise<void> {
    return this.#answerTo(() => sendRows(this.client, text, rows));
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
    this.#onEnd();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#ended) return;
    const late = setTimeout(() => this.#socket.destroy(), closeMs);
    await this.client.end().finally(() => clearTimeout(late));
  }

  #answerTo<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#waiting++ === 0) this.#answerBegins();
    this.#watch();
    return send().then(
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

  #answered(): void {
    this.#waiting--;
    this.#answerBegins();
  }

  #answerBegins(): void {
    this.#answers++;
    this.#lastAnswerMs = performance.now();
    this.#checkedMs = this.#lastAnswerMs;
    this.#silentReports = 0;
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const everyMs = Math.min(this.#silentMs / 8, longestCheckMs);
    this.#lastTickMs = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // While this process itself stood still, an answer may have come that waits to be read.
      const stoodStillMs = Math.max(0, now - this.#lastTickMs - 2 * everyMs);
      this.#lastAnswerMs = Math.min(now, this.#lastAnswerMs + stoodStillMs);
      this.#lastTickMs = now;
      const isSilent = this.#waiting > 0 && now - this.#lastAnswerMs > this.#silentMs;
      if (isSilent && !this.isLong) this.destroy('it does not answer');
      this.#suspect(now);
    }, everyMs);
    this.#timer.unref();
  }

  #suspect(now: number): void {
    if (this.#pid === 0 || this.#ended) return;
    const { isPrompt, watch } = this.#options;
    if (this.#waiting === 0) {
      // Any answer is one, also a refusal; a connection that was lost reports that itself.
      if (isPrompt && now - this.#lastAnswerMs > idleMs) this.query('select').catch(() => {});
      return;
    }
    if (watch === undefined || now - this.#checkedMs < watch.everyMs) return;
    this.#checkedMs = Number.POSITIVE_INFINITY;
    void this.#check(watch);
  }

  async #check({ activityOf }: Watch): Promise<void> {
    const [answers, bytes] = [this.#answers, this.#socket.bytesRead];
    const activity = await activityOf(this.#pid).catch((thrown: unknown): Activity => {
      if (isSilence(thrown)) this.destroy('it does not answer', thrown);
      // If the server cannot be asked, nothing shows that there will be an answer.
      return 'waiting';
    });
    if (answers !== this.#answers) return;
    this.#checkedMs = performance.now();
    if (activity !== 'silent' || bytes !== this.#socket.bytesRead) this.#silentReports = 0;
    else if (++this.#silentReports > 1) this.destroy('it does not answer');
    const isLate = this.#checkedMs - this.#lastAnswerMs > promptMs;
    if (isLate && activity === 'waiting' && this.#options.isPrompt && !this.isLong) {
      this.destroy('it waits for another change');
    }
  }
}
