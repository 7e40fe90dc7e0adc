import { setTimeout as pause } from 'node:timers/promises';
import type { Location } from '../address/location.ts';
import { unreachable } from '../errors/errors.ts';
import { Pool } from './pool.ts';
import { type Activity, PostgresSession, type SessionOptions, type Watch } from './session.ts';
import { askAnew, runTransaction } from './transaction.ts';

interface Patience {
  commandMs: number;
  /** How long a daemon does, whose clients get 503 within 2 s. */
  daemonMs: number;
  /** How often a command asks on another connection whether the server works on a statement, or answers at all. */
  probeMs: number;
  /** How long a command tries to find out whether a commit without an answer was made. */
  doubtMs: number;
}

const usualPatience: Patience = {
  commandMs: 30_000,
  daemonMs: 1400,
  probeMs: 15_000,
  doubtMs: 8000,
};
/** How long a request waits for a connection, which is made nevertheless: the next one finds it. */
const connectionMs = 700;
/** The time after which a daemon tries again while the database is away. */
const retryMs = 250;
/** After so long without an answer, and again after as long, a daemon asks on another connection what the server does. */
const suspectMs = 400;

/** The connections of a process to its store. */
export type Database = Pick<PooledDatabase, keyof PooledDatabase>;

/** One pipelined connection for single statements and others next to it, made when needed and replaced when lost. */
export class PooledDatabase extends Pool {
  readonly location: Location;
  readonly #patience: Patience;
  readonly #ofMain: SessionOptions;
  readonly #ofOthers: SessionOptions & { watch: Watch };
  /** The open connections next to the main one. */
  readonly #others = new Set<PostgresSession>();
  #hosts: Location['hosts'];
  #main: PostgresSession | undefined;
  #connecting: Promise<PostgresSession> | undefined;
  #epoch = 0;
  #isDaemon = false;
  #isClosed = false;
  #failure: unknown;

  constructor(location: Location, patience = usualPatience) {
    super();
    this.location = location;
    this.#patience = patience;
    this.#hosts = location.hosts;
    const watch = {
      everyMs: patience.probeMs,
      activityOf: (session: PostgresSession) => this.#activityOf(session),
    };
    this.#ofMain = {
      silentMs: patience.commandMs,
      connectTimeoutMs: location.connectTimeoutMs,
      watch,
    };
    this.#ofOthers = { ...this.#ofMain, watch, findsByKey: true };
  }

  /** Grows with each connection that replaces a lost one: whatever was cached before is no longer valid. */
  get epoch(): number {
    return this.#epoch;
  }

  /** From now on statements fail fast while the database is away, and the connection is restored in the background. */
  async startDaemon(): Promise<void> {
    this.#isDaemon = true;
    const daemonOptions = {
      isPrompt: true,
      connectTimeoutMs: Math.min(this.location.connectTimeoutMs, 2000),
    };
    // Large answers take long: that the database is away is noticed by the main connection.
    Object.assign(this.#ofMain, daemonOptions, {
      silentMs: this.#patience.daemonMs,
      watch: undefined,
    });
    Object.assign(this.#ofOthers, daemonOptions);
    this.#ofOthers.watch.everyMs = suspectMs;
    await this.session();
  }

  /** Gives up all connections, and connects anew, to another of several servers if one can be written. */
  reconnect(why: string): void {
    const [currentHost, ...others] = this.#hosts;
    if (currentHost) this.#hosts = [...others, currentHost];
    this.#main?.destroy(why);
  }

  /** Runs a statement on the pipelined connection, which prepares it at its first use. */
  query<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]> {
    const main = this.#main;
    if (main?.isOpen) return main.query<Row>(statement, values);
    return this.session().then((session) => session.query<Row>(statement, values));
  }

  /** The same; a row is the values of its columns. */
  async queryArrays(statement: string, values?: readonly unknown[]): Promise<unknown[][]> {
    return (await this.session()).queryArrays(statement, values);
  }

  /** The pipelined connection. */
  async session(): Promise<PostgresSession> {
    if (this.#main?.isOpen) return this.#main;
    this.#requireUse();
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * Runs `work` in a transaction on a connection of its own. Another program waits at most `idleMs` for the locks of a
   * transaction whose process has stopped; 0 = without limit, for long work, such as an import that waits for its rows.
   * An error means that nothing was changed, except `commit_unknown`; see `transaction.ts`.
   */
  transaction<T>(
    work: (session: PostgresSession) => Promise<T>,
    { idleMs = 10_000 } = {},
  ): Promise<T> {
    // The clients of a daemon get 503 at once, and send again.
    const forMs = this.#isDaemon ? 0 : this.#patience.doubtMs;
    const location = { ...this.location, hosts: this.#hosts };
    const commitDoubt = { location, forMs };
    return this.exclusively((session) => runTransaction(session, work, idleMs, commitDoubt));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const sessions = [this.#main, ...this.#others];
    await Promise.all(sessions.map((session) => session?.close()));
  }

  #requireUse(): void {
    if (this.#isClosed) throw new Error('the store is closed');
    // In a daemon every request would wait for the next attempt to connect.
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #connect(): Promise<PostgresSession> {
    const session = await PostgresSession.open(
      { ...this.location, hosts: this.#hosts },
      this.#ofMain,
    );
    if (this.#isClosed) session.destroy('the store is closed');
    this.#main = session;
    this.#epoch++;
    session.onEnd(() => this.#lost());
    return session;
  }

  /**
   * Connects to the server of the main connection. A name may lead to another one meanwhile: then what is read here would be that
   * of an old primary, while writes reach the new one.
   */
  protected override async open(): Promise<PostgresSession> {
    this.#requireUse();
    const hosts = this.#main ? [this.#main.host] : this.#hosts;
    const location = { ...this.location, hosts };
    const session = await PostgresSession.open(location, this.#ofOthers);

    this.#others.add(session);
    session.onEnd(() => this.#others.delete(session));
    if (this.#isClosed) session.destroy('the store is closed');
    const main = this.#main;
    if (main === undefined || main.server.startedAt === session.server.startedAt) return session;

    session.destroy('another server answers at its address');
    main.destroy('another server answers at its address');
    throw unreachable(this.location.shown, 'another server answers at its address');
  }

  #lost(): void {
    this.#main = undefined;
    if (!this.#isDaemon || this.#isClosed) return;
    this.#failure = unreachable(this.location.shown, 'it does not answer');
    // A database that does not answer on one connection answers on none.
    for (const session of this.#others) session.destroy('it does not answer');
    this.#retry();
  }

  #retry(): void {
    setTimeout(() => {
      if (this.#isClosed) return;
      this.#connect().then(
        () => {
          this.#failure = undefined;
        },
        (thrown) => {
          this.#failure = thrown;
          this.#retry();
        },
      );
    }, retryMs).unref();
  }

  async #activityOf({ host, server }: PostgresSession): Promise<Activity> {
    const askActivityOn = (session: Pick<PostgresSession, 'query'>) =>
      session.query<{ activity: Activity }>(activitySql, [server.pid]);
    // The main connection of a command waits itself. A daemon's may have been lost alone; the second time it is a new one.
    const activityRows = this.#isDaemon
      ? askActivityOn(this).catch(() => askActivityOn(this))
      : askAnew(
          { ...this.location, hosts: [host] },
          { ...this.#ofMain, watch: undefined },
          askActivityOn,
        );
    const [activityRow] = await activityRows;

    return activityRow?.activity ?? 'silent';
  }

  /** In a daemon, waits for a connection no longer than a request may. */
  protected override async inTime(
    opening: Promise<PostgresSession>,
    onLate: (session: PostgresSession) => void = () => {},
  ): Promise<PostgresSession> {
    if (!this.#isDaemon) return opening;
    const openSession = await Promise.race([
      opening,
      pause(connectionMs, undefined, { ref: false }),
    ]);
    if (openSession) return openSession;
    opening.then(onLate, () => {});
    throw unreachable(this.location.shown, 'no connection to it was made in time');
  }
}

/** The database of a store that is being created: everything is part of the transaction of one session. */
export function databaseWithin(session: PostgresSession): Database {
  return {
    location: session.location,
    epoch: 1,
    query: (statement, values) => session.query(statement, values),
    queryArrays: (statement, values) => session.queryArrays(statement, values),
    session: async () => session,
    transaction: (work) => work(session),
    exclusively: (work) => work(session),
    lane: () => session,
    startDaemon: async () => {},
    reconnect: () => {},
    close: async () => {},
  };
}

/** SQL that reads the activity of a process, whose number is its parameter; no row if it has ended. */
const activitySql = `select case
    when state not in ('active', 'disabled') or wait_event_type = 'Client' then 'silent'
    when wait_event_type = 'Lock' or wait_event = 'SyncRep' or state = 'disabled' then 'waiting'
    else 'working' end as activity
  from pg_stat_activity where pid = $1`;
