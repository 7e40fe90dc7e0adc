import { type ClientBase, Pool, type PoolClient } from 'pg';
import type { Host, Location } from '../address/location.ts';
import { isNoneFree, isShortage, unreachable, whileConnecting } from '../errors/errors.ts';
import { StoreClient } from './client.ts';
import { prepareSession } from './server-settings.ts';
import { PostgresSession } from './session.ts';

/**
 * The most connections of each kind of work: a daemon's log-in needs fifteen. No kind waits for another, so that slow reads never
 * delay `gate`: the change counters that every request asks for, and heartbeats.
 */
const mostOf = { gate: 2, ingest: 2, reads: 3, largeReads: 2, work: 5 } as const;
export type WorkKind = keyof typeof mostOf;
const kinds = Object.keys(mostOf) as WorkKind[]; // its own

/** The kinds whose rows are found by their keys, whatever the planner knows of a table. */
const findsByKey: ReadonlySet<WorkKind> = new Set(['ingest', 'reads', 'largeReads']);

/** The time that a process has for its database. */
export interface Limits {
  /** For a new connection, or for one that another statement uses. */
  connectMs: number;
  /** For the answer to a statement of a daemon. */
  answerMs: number;
  /** For the answer of a statement whose time is not limited, before the server is asked whether it works on it. */
  suspectMs: number;
}

/** How long the answer to a statement of `gate` may take. */
const gateMs = 2000;
/** How long a server may take to close a connection; one that hangs never does. */
const closeMs = 2000;
/** The time for which a kind of work does with the connections that it has if the server has none left. */
const shortageMs = 10_000;

/**
 * The connections to one server, with a pool for each kind of work. A name may lead to another server meanwhile: then what is read
 * would be that of an old primary, while writes reach the new one. So these connections are given up together.
 */
export class Server {
  readonly host: Host;
  /** Whether all of them are to be replaced. */
  isGone = false;
  readonly #location: Location;
  readonly #limits: Limits;
  readonly #pools: ReadonlyMap<WorkKind, Pool>;
  readonly #sessions = new Map<ClientBase, PostgresSession>();
  #startedAt: string | undefined;
  #ending: Promise<unknown> | undefined;

  constructor(host: Host, location: Location, limits: Limits) {
    this.host = host;
    this.#location = location;
    this.#limits = limits;
    this.#pools = new Map(kinds.map((kind) => [kind, this.#createPool(kind)]));
  }

  /** Runs `work` on a connection that nothing else uses meanwhile; waits for one if all are in use. */
  async use<T>(kind: WorkKind, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    const client = await this.#take(kind);
    const session = this.#sessions.get(client);
    try {
      if (!session) throw unreachable(this.#location.shown, 'the connection was lost');
      return await work(session);
    } finally {
      const isOpen = session?.isOpen ?? false;
      // A database that does not answer on these connections answers on none.
      if (kind === 'gate' && !isOpen) this.isGone = true;
      client.release(!isOpen || session?.isWorn);
    }
  }

  /** Opens a connection of each kind, which stays open. */
  async openAll(): Promise<void> {
    await Promise.all(kinds.map((kind) => this.use(kind, async () => {})));
  }

  /** Ends all connections at once; running statements fail with `store_unreachable`. */
  destroy(why: string): void {
    this.isGone = true;
    for (const session of this.#sessions.values()) session.destroy(why);
    void this.#endPools();
  }

  /** Closes all connections once running statements are answered. */
  async close(): Promise<void> {
    this.isGone = true;
    const timer = setTimeout(() => this.destroy('the store is closed'), closeMs);
    await this.#endPools();
    await Promise.all([...this.#sessions.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  #endPools(): Promise<unknown> {
    this.#ending ??= Promise.all([...this.#pools.values()].map((pool) => pool.end()));
    return this.#ending;
  }

  #createPool(kind: WorkKind): Pool {
    const { host } = this;
    const location = this.#location;
    const pool = new Pool({
      max: mostOf[kind],
      min: 1,
      connectionTimeoutMillis: this.#limits.connectMs,
      Client: class extends StoreClient {
        constructor() {
          super(host, location);
        }
      },
      onConnect: (client) => this.#prepare(client, kind),
    });
    // An idle connection was lost: the pool makes another when it is needed.
    pool.on('error', () => {
      if (kind === 'gate') this.isGone = true;
    });
    return pool;
  }

  async #prepare(client: ClientBase, kind: WorkKind): Promise<void> {
    if (!(client instanceof StoreClient)) throw new Error('the pool made a client of another kind');
    const answerMs = kind === 'gate' ? gateMs : this.#limits.answerMs;
    const session = new PostgresSession(client, this.#location, answerMs);
    try {
      session.server = await prepareSession(session, this.#location, findsByKey.has(kind));
      this.#startedAt ??= session.server.startedAt;
      if (this.#startedAt !== session.server.startedAt) {
        this.isGone = true;
        throw unreachable(this.#location.shown, 'another server answers at its address');
      }
      if (this.isGone) throw unreachable(this.#location.shown, 'it does not answer');
    } catch (thrown) {
      session.destroy('the connection was not completed');
      throw thrown;
    }
    this.#sessions.set(client, session);
    client.once('end', () => this.#sessions.delete(client));
  }

  async #take(kind: WorkKind): Promise<PoolClient> {
    const pool = this.#pools.get(kind);
    if (!pool || this.isGone) throw unreachable(this.#location.shown, 'the connection was lost');
    try {
      return await this.#connectOrShare(pool, mostOf[kind]);
    } catch (thrown) {
      const failure = whileConnecting(thrown, this.#location.shown);
      // A server with too much to do may only be slow to let in one more.
      const isLast = this.#sessions.size === 0 || (kind === 'gate' && pool.totalCount === 0);
      if (isLast && !isShortage(failure) && !isNoneFree(failure)) this.isGone = true;
      throw failure;
    }
  }

  /** If the server has no connection left, those that are open must do for a while. */
  async #connectOrShare(pool: Pool, most: number): Promise<PoolClient> {
    let shortage: unknown;
    for (;;) {
      try {
        return await pool.connect();
      } catch (thrown) {
        if (!isShortage(thrown)) throw isNoneFree(thrown) ? (shortage ?? thrown) : thrown;
        if (pool.totalCount === 0) throw thrown;
        shortage = thrown;
        pool.options.max = pool.totalCount;
        setTimeout(() => {
          pool.options.max = most;
        }, shortageMs).unref();
      }
    }
  }
}
