import type { Location } from '../address/location.ts';
import { isLostConnection } from '../errors/errors.ts';
import { type Limits, Server, type WorkKind } from './server.ts';
import type { PostgresSession } from './session.ts';
import { runTransaction } from './transaction.ts';
import { type Ask, withoutLimit } from './watch.ts';

type Work<T> = (session: PostgresSession) => Promise<T>;

/** Runs single statements, and sends rows. */
export type Lane = Pick<PostgresSession, 'query' | 'copy'>;

/** The connections of a process to its store. */
export type Database = Pick<PooledDatabase, keyof PooledDatabase>;

/** How long a command tries to find out whether a commit without an answer was made. */
const mostDoubtMs = 8000;

const suspectMs = 15_000;

const limitsOfCommand = ({ connectTimeoutMs }: Location): Limits => ({
  connectMs: connectTimeoutMs,
  answerMs: 30_000,
  suspectMs,
});

/** Of a connection that only asks: a server that hangs must not use up the time for it. */
const limitsOfQuestion: Limits = { connectMs: 2000, answerMs: 2000, suspectMs };

/** The clients of a daemon get 503 within 5 s: also after it has tried each host. */
const limitsOfDaemon = ({ connectTimeoutMs, hosts }: Location): Limits => ({
  connectMs: Math.min(connectTimeoutMs, 2000 / hosts.length),
  answerMs: 3500,
  suspectMs,
});

/** Connections to the server that can be written, of all that the address names; made when needed, and replaced when lost. */
export class PooledDatabase {
  readonly location: Location;
  #limits: Limits;
  #hosts: Location['hosts'];
  #server: Server | undefined;
  #connecting: Promise<Server> | undefined;
  #serverNumber = 0;
  #isDaemon = false;
  #isClosed = false;
  readonly #ask: Ask = async (question) => {
    const server = await this.#openFirst(limitsOfQuestion, (opened) => opened.use('work', nothing));
    return server.use('work', question).finally(() => server.destroy('it has answered'));
  };

  constructor(location: Location, limits = limitsOfCommand(location)) {
    this.location = location;
    this.#limits = limits;
    this.#hosts = location.hosts;
  }

  /** Grows when another server takes the place of one: whatever was cached before is no longer valid. */
  get serverNumber(): number {
    return this.#serverNumber;
  }

  /** From now on statements fail within seconds while the database is away. */
  async startDaemon(limits = limitsOfDaemon(this.location)): Promise<void> {
    const ofCommand = this.#server;
    this.#server = undefined;
    this.#isDaemon = true;
    this.#limits = limits;
    await ofCommand?.close();
    await this.#connected();
  }

  /** Runs a statement, which its connection prepares at its first use. */
  query<Row>(
    statement: string,
    values?: readonly unknown[],
    kind: WorkKind = 'work',
  ): Promise<Row[]> {
    return this.#use(kind, (session) => session.query<Row>(statement, values));
  }

  /** The same; a row is the values of its columns. */
  queryArrays(statement: string, values?: readonly unknown[]): Promise<unknown[][]> {
    return this.#use('work', (session) => session.queryArrays(statement, values));
  }

  /** Runs `work` on a connection that nothing else uses meanwhile. */
  exclusively<T>(work: Work<T>): Promise<T> {
    return this.#use('work', work);
  }

  /** Connections that only one kind of work uses: it waits for no other. */
  lane(kind: WorkKind): Lane {
    return {
      query: (statement, values) => this.query(statement, values, kind),
      copy: (statement, rows) => this.#use(kind, (session) => session.copy(statement, rows)),
    };
  }

  /**
   * Runs `work` in a transaction on a connection of its own. Another program waits at most `idleMs` for the locks of a
   * transaction whose process has stopped; 0 = without limit, for long work, such as an import that waits for its rows.
   * An error means that nothing was changed, except `commit_unknown`; see `transaction.ts`.
   */
  transaction<T>(work: Work<T>, { idleMs = 10_000 } = {}): Promise<T> {
    // The clients of a daemon get 503 at once, and send again.
    const options = { idleMs, doubtMs: this.#isDaemon ? 0 : mostDoubtMs, ask: this.#ask };
    const isLimited = this.#isDaemon && idleMs > 0;
    return this.#use('work', (session) => runTransaction(session, work, options), isLimited);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A connection that is being made would keep the process from its end.
    await this.#connecting?.catch(() => {});
    await this.#server?.close();
  }

  async #use<T>(kind: WorkKind, work: Work<T>, isLimited = this.#isDaemon): Promise<T> {
    const server = await this.#connected();
    const options = { suspectMs: this.#limits.suspectMs, ask: this.#ask };
    return server.use(
      // Nothing in a command keeps the other connections busy.
      kind === 'gate' && !this.#isDaemon ? 'work' : kind,
      isLimited ? work : (session) => withoutLimit(session, work, options),
    );
  }

  async #connected(): Promise<Server> {
    const server = this.#server;
    if (server && !server.isGone) return server;
    if (this.#isClosed) throw new Error('the store is closed');
    this.#connecting ??= this.#connect(server).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Connects to the first host that can be written, and to that of `lost` last: it may be a primary that was cut off. */
  async #connect(lost: Server | undefined): Promise<Server> {
    lost?.destroy('it does not answer');
    const isOther = (host: unknown) => host !== lost?.host;
    const others = this.#hosts.filter(isOther);
    this.#hosts = [...others, ...this.#hosts.filter((host) => !isOther(host))];

    // A daemon that has a connection of each kind can serve, also where the server has no more.
    this.#server = await this.#openFirst(this.#limits, (server) =>
      this.#isDaemon ? server.openAll() : server.use('work', nothing),
    );
    this.#serverNumber++;
    return this.#server;
  }

  async #openFirst(limits: Limits, open: (server: Server) => Promise<void>): Promise<Server> {
    let failure: unknown;
    for (const host of this.#hosts) {
      const server = new Server(host, this.location, limits);
      try {
        await open(server);
        return server;
      } catch (thrown) {
        server.destroy('it does not answer');
        // The failure of a server that did answer tells most.
        const tellsMore = failure === undefined || !isLostConnection(thrown);
        if (tellsMore) failure = thrown;
      }
    }
    throw failure;
  }
}

/** Work that only opens a connection. */
const nothing = async () => {};

/** The database of a store that is being created: everything is part of the transaction of one session. */
export function databaseWithin(session: PostgresSession): Database {
  return {
    location: session.location,
    serverNumber: 1,
    query: (statement, values) => session.query(statement, values),
    queryArrays: (statement, values) => session.queryArrays(statement, values),
    transaction: (work) => work(session),
    exclusively: (work) => work(session),
    lane: () => session,
    startDaemon: async () => {},
    close: async () => {},
  };
}
