import type { QueryConfig } from 'pg';
import { sha256 } from '../../../core/digest.ts';
import type { HkctlError } from '../../../core/errors.ts';
import type { Location } from '../address/location.ts';
import { isLostConnection, toDomainError, unreachable } from '../errors/errors.ts';
import type { StoreClient } from './client.ts';
import { sendRows } from './copy.ts';
import type { SessionServer } from './server-settings.ts';

/** The most statements of a connection. */
const mostStatements = 500;
/** The longest time of a timer: an answer that may take as long as it needs. */
const longestMs = 2 ** 31 - 1;

/** A connection to the database. Errors are the domain's; a connection that was lost is never used again. */
export class PostgresSession {
  readonly location: Location;
  /** The server, once it has let this connection in. */
  server: SessionServer = { version: 0, startedAt: '', pid: 0 };
  /** The last record that the transaction in progress has added to the audit chain. */
  audit: { seq: number; hash: string } | undefined;
  /** Whether a statement may take no longer than `answerMs`. */
  isLimited = true;
  /** Resolves once the connection has ended. */
  readonly ended: Promise<void>;
  readonly #client: StoreClient;
  readonly #answerMs: number;
  /** The names of its prepared statements by their texts. */
  readonly #names = new Map<string, string>();
  #loss: HkctlError | undefined;
  /** The statements without an answer yet. */
  #waiting = 0;
  /** The last answer, or the first statement after it (`performance.now()`). */
  #answeredAtMs = 0;

  constructor(client: StoreClient, location: Location, answerMs: number) {
    this.#client = client;
    this.location = location;
    this.#answerMs = answerMs;
    // Without a listener the loss of a connection would end the process.
    client.on('error', (thrown) => this.destroy('the connection was lost', thrown));
    this.ended = new Promise((resolve) => {
      client.on('end', () => {
        this.destroy('the connection was closed');
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#loss === undefined;
  }

  /** Whether another connection should take its place, since the server keeps a plan of each statement until this one ends. */
  get isWorn(): boolean {
    return this.#names.size >= mostStatements;
  }

  /** For how long a statement has waited for an answer, or for the next one; 0 if none waits. */
  get silentMs(): number {
    return this.#waiting === 0 ? 0 : performance.now() - this.#answeredAtMs;
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
    await this.send({ text: statement });
  }

  /** Sends a query of the driver; the connection ends if no answer comes in time. */
  send<Row>(config: QueryConfig & { rowMode?: 'array' }) {
    const timed = { ...config, query_timeout: this.#timeoutMs };
    return this.#answerTo(() => this.#client.query<Row & object>(timed));
  }

  /** Sends all rows of a COPY at once; nothing else may be sent meanwhile. */
  copy(statement: string, rows: Buffer): Promise<void> {
    return this.#answerTo(() => sendRows(this.#client, statement, rows, this.#timeoutMs));
  }

  translate(thrown: unknown): unknown {
    if (isLostConnection(thrown)) this.destroy('the connection was lost', thrown);
    // Why this process has ended the connection says more than that it has ended.
    return isLostConnection(thrown) && this.#loss?.cause !== thrown
      ? this.#loss
      : toDomainError(thrown, this.location.shown);
  }

  /** Ends the connection at once; running statements fail with `store_unreachable`. */
  destroy(why: string, cause?: unknown): void {
    if (this.#loss) return;
    this.#loss = unreachable(this.location.shown, why, cause);
    this.#client.connection.stream.destroy();
  }

  get #timeoutMs(): number {
    return this.isLimited ? this.#answerMs : longestMs;
  }

  async #answerTo<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#loss) throw this.#loss;
    if (this.#waiting++ === 0) this.#answeredAtMs = performance.now();
    try {
      return await send();
    } catch (thrown) {
      throw this.#loss ?? this.translate(thrown);
    } finally {
      this.#waiting--;
      this.#answeredAtMs = performance.now();
    }
  }
}
