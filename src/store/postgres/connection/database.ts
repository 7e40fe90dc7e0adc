import { setTimeout as pause } from 'node:timers/promises';
import type { Location } from '../address/location.ts';
import { unreachable } from '../errors/errors.ts';
import { Lane, type LaneSettings, settingsSql, sharing } from './lane.ts';
import { runLong } from './long-work.ts';
import { OtherSessions } from './other-sessions.ts';
import { type Activity, Session, type SessionOptions } from './session.ts';
import { runTransaction } from './transaction.ts';

interface Patience {
  commandMs: number;
  /** How long a daemon does, whose clients get 503 within 2 s. */
  daemonMs: number;
  /** How often a command checks during long work that the server answers. */
  probeMs: number;
  /** How long a command tries to find out whether a commit without an answer was made. */
  doubtMs: number;
}

const usualPatience: Patience = { commandMs: 30_000, daemonMs: 1400, probeMs: 15_000, doubtMs: 8000 };
/** How long a request waits for a connection, which is made nevertheless: the next one finds it. */
const connectionMs = 700;
/** The time after which a daemon tries again while the database is away. */
const retryMs = 250;

export interface Database {
  readonly location: Location;
  /** Grows with each connection that replaces a lost one: whatever was cached before is no longer valid. */
  readonly epoch: number;
  /** Runs a statement on the pipelined connection, which prepares it under its name; the name identifies the text. */
  query<Row>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The pipelined connection, for statements that drizzle has built. */
  session(): Promise<Session>;
  /**
   * Runs `work` in a transaction on a connection of its own. Another program waits at most `idleMs` for the locks of a
   * transaction whose process has stopped; 0 = without limit, for long work, such as an import that waits for its rows.
   * An error means that nothing was changed, except `commit_unknown`; see `transaction.ts`.
   */
  transaction<T>(work: (session: Session) => Promise<T>, options?: { idleMs?: number }): Promise<T>;
  /** Runs `work` on a connection that nothing else uses meanwhile; waits if all are in use. */
  exclusively<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** A connection for single statements that shall not wait for those of others, with settings of the planner. */
  lane(settings: LaneSettings): Lane;
  /** From now on statements fail fast while the database is away, and the connection is restored in the background. */
  startDaemon(): Promise<void>;
  /** Gives up all connections, and connects anew, to another of several servers if one can be written. */
  reconnect(why: string): void;
  close(): Promise<void>;
}

/** One pipelined connection for single statements and a few for transactions, made when needed and replaced when lost. */
export class PooledDatabase implements Database {
  readonly location: Location;
  readonly #patience: Patience;
  #hosts: Location['hosts'];
  #main: Session | undefined;
  #connecting: Promise<Session> | undefined;
  #epoch = 0;
  #isDaemon = false;
  #isClosed = false;
  #failure: unknown;
  readonly #others: OtherSessions;
  readonly #lanes: Lane[] = [];

  constructor(location: Location, patience = usualPatience) {
    this.location = location;
    this.#patience = patience;
    this.#hosts = location.hosts;
    this.#others = new OtherSessions(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      return this.#openBeside(this.#options(false));
    });
  }

  get epoch(): number {
    return this.#epoch;
  }

  async startDaemon(): Promise<void> {
    this.#isDaemon = true;
    // The connection of a command waits too long for an answer.
    const before = this.#main;
    if (before) before.onEnd = () => {};
    this.#main = undefined;
    await this.#connected();
    await Promise.all([before, ...this.#others.takeIdle(), ...this.#lanes].map((one) => one?.close()));
  }

  reconnect(why: string): void {
    const [first, ...others] = this.#hosts;
    if (first) this.#hosts = [...others, first];
    this.#main?.destroy(why);
  }

  query<Row>(name: string, text: string, values?: readonly unknown[]): Promise<Row[]> {
    const main = this.#main;
    if (main?.isOpen) return main.query<Row>(name, text, values);
    return this.#connected().then((session) => session.query<Row>(name, text, values));
  }

  async session(): Promise<Session> {
    return this.#main?.isOpen ? this.#main : this.#connected();
  }

  transaction<T>(work: (session: Session) => Promise<T>, { idleMs = 10_000 } = {}): Promise<T> {
    const isLong = idleMs === 0;
    // The clients of a daemon get 503 at once, and send again.
    const doubt = {
      location: { ...this.location, hosts: this.#hosts },
      forMs: this.#isDaemon ? 0 : this.#patience.doubtMs,
    };
    const through = (session: Session) => runTransaction(session, work, idleMs, doubt);
    const probing = { everyMs: this.#patience.probeMs, probe: () => this.query('database.probe', 'select') };
    return this.exclusively((session) =>
      isLong ? runLong(session, probing, () => through(session)) : through(session),
    );
  }

  async exclusively<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#inTime(this.#others.take(), (late) => this.#others.giveBack(late));
    try {
      return await work(session);
    } finally {
      this.#others.giveBack(session);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [this.#main, this.#others, ...this.#lanes].filter((session) => session !== undefined);
    await Promise.all(all.map((session) => session.close()));
  }

  lane(settings: LaneSettings): Lane {
    const open = async () => {
      if (this.#isClosed) throw new Error('the store is closed');
      if (this.#failure !== undefined) throw this.#failure;
      // Large answers take long; that the database is away is noticed by the main connection.
      const session = await this.#openBeside({ ...this.#options(false), pipeline: true });
      await session.query('lane.settings', settingsSql(settings), Object.entries(settings).flat());
      return session;
    };
    const lane = new Lane(open, sharing(this, settings), (opening, beganAt) =>
      this.#inTime(opening, undefined, beganAt),
    );
    this.#lanes.push(lane);
    return lane;
  }

  #connected(): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    // In a daemon every request would wait for the next attempt to connect.
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Session> {
    const session = await Session.open({ ...this.location, hosts: this.#hosts }, this.#options(true));
    this.#main = session;
    this.#epoch++;
    session.onEnd = () => this.#lost();
    return session;
  }

  /**
   * Connects to the server of the main connection. A name may lead to another one meanwhile: then what is read here would be that
   * of an old primary, while writes reach the new one.
   */
  async #openBeside(options: SessionOptions): Promise<Session> {
    const hosts = this.#main ? [this.#main.host] : this.#hosts;
    const session = await Session.open({ ...this.location, hosts }, options);
    if (this.#main === undefined || this.#main.server === session.server) return session;
    session.destroy('another server answers at its address');
    this.#main.destroy('another server answers at its address');
    throw unreachable(this.location.shown, 'another server answers at its address');
  }

  #lost(): void {
    this.#main = undefined;
    if (!this.#isDaemon || this.#isClosed) return;
    this.#failure = unreachable(this.location.shown, 'it does not answer');
    // A database that does not answer on one connection answers on none.
    for (const session of [this.#others, ...this.#lanes]) session.destroy('it does not answer');
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

  #options(isMain: boolean): SessionOptions {
    const [usualMs, { commandMs, daemonMs }] = [this.location.connectTimeoutMs, this.#patience];
    if (!this.#isDaemon) return { pipeline: isMain, silentMs: commandMs, connectTimeoutMs: usualMs };
    const connectTimeoutMs = Math.min(usualMs, 2000);
    if (isMain) return { pipeline: true, silentMs: daemonMs, connectTimeoutMs, watch: {} };
    const activityOf = (pid: number) => this.#activityOf(pid);
    return { pipeline: false, silentMs: commandMs, connectTimeoutMs, watch: { activityOf } };
  }

  async #activityOf(pid: number): Promise<Activity> {
    const [row] = await this.query<{ activity: Activity }>('database.activity', activitySql, [pid]);
    return row?.activity ?? 'silent';
  }

  /** In a daemon, waits for a connection no longer than a request may; `onLate` gets one that comes after that. */
  async #inTime(
    session: Promise<Session>,
    onLate: (session: Session) => void = () => {},
    beganAt = performance.now(),
  ): Promise<Session> {
    if (!this.#isDaemon) return session;
    const endMs = pause(beganAt + connectionMs - performance.now(), undefined, { ref: false });
    const found = await Promise.race([session, endMs]);
    if (found) return found;
    session.then(onLate, () => {});
    throw unreachable(this.location.shown, 'no connection to it was made in time');
  }
}

/** SQL that reads the activity of a process, whose number is its parameter; no row if it has ended. */
const activitySql = `select case when state not in ('active', 'disabled') or wait_event_type = 'Client' then 'silent'
    when wait_event_type = 'Lock' or wait_event = 'SyncRep' or state = 'disabled' then 'waiting' else 'working' end as activity
  from pg_stat_activity where pid = $1`;
