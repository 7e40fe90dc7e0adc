import { isShortage } from '../errors/errors.ts';
import type { Session } from './session.ts';

/** The most connections that work has alone. */
const mostSessions = 8;
/** The time for which a lane does without a connection if the server has none left. */
const shortageMs = 1000;

/** Settings of the planner, by their names. */
export type Settings = Readonly<Record<string, string>>;

/** Runs single statements, and sends rows. */
export type Lane = Pick<Session, 'query' | 'copy'>;

type Work<T> = (session: Session) => Promise<T>;

interface PoolOptions {
  /** Makes a connection; rejects while the database is away. */
  open(): Promise<Session>;
  /** Waits for a connection no longer than the caller may; `onLate` gets one that comes after that. */
  inTime(session: Promise<Session>, onLate?: (session: Session) => void): Promise<Session>;
}

/**
 * Connections next to the main one, made when needed and kept: some that one piece of work at a time has alone, such as a
 * transaction, and one for each lane. If the server has none left, lanes share those of the former.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<Session>();
  readonly #lanes = new Set<Session>();
  readonly #idle: Session[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Connections that work has alone, also those that are being made. */
  #count = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs `work` on a connection that nothing else uses meanwhile; waits if all are in use. */
  async exclusively<T>(work: Work<T>): Promise<T> {
    const session = await this.#options.inTime(this.#take(), (late) => this.#giveBack(late));
    try {
      return await work(session);
    } finally {
      this.#giveBack(session);
    }
  }

  /**
   * A lane with settings, whose connection takes the statements of many at a time and is apart from the others: neither waits
   * for the other's answers. It is made at the first use, and again once it was lost.
   */
  lane(settings: Settings): Lane {
    let current: Session | undefined;
    let opening: Promise<Session> | undefined;
    let sharesUntil = 0;
    const open = async () => {
      const session = await this.#options.open();
      await session.send(settingsQuery(settings));
      this.#lanes.add(session);
      session.onEnd = () => this.#lanes.delete(session);
      current = session;
      return session;
    };
    const useOther = async <T>(work: Work<T>): Promise<T> => {
      if (performance.now() < sharesUntil) return this.#share(settings, work);
      opening ??= open().finally(() => {
        opening = undefined;
      });
      const session = await this.#options.inTime(opening).catch((thrown: unknown) => {
        if (!isShortage(thrown)) throw thrown;
        sharesUntil = performance.now() + shortageMs;
      });
      return session ? work(session) : this.#share(settings, work);
    };
    const use = <T>(work: Work<T>): Promise<T> => {
      if (current?.isWorn) {
        const worn = current;
        current = undefined;
        // Running statements are still answered.
        worn.close().catch((thrown) => worn.destroy('it could not be closed', thrown));
      }
      return current?.isOpen ? work(current) : useOther(work);
    };
    return {
      query: (text, values) => use((session) => session.query(text, values)),
      copy: (text, rows) => use((session) => session.copy(text, rows)),
    };
  }

  /** Closes the connections that nothing uses at the moment, and those of lanes. */
  async closeIdle(): Promise<void> {
    await Promise.all([...this.#idle.splice(0), ...this.#lanes].map((session) => session.close()));
  }

  /** Closes all connections at once; running statements fail with `store_unreachable`. */
  destroy(why: string): void {
    for (const session of [...this.#sessions, ...this.#lanes]) session.destroy(why);
    // All of them, also those beyond the number of connections that ended, which would otherwise wait for ever.
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions, ...this.#lanes].map((session) => session.close()));
  }

  async #take(): Promise<Session> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle?.isOpen) return idle;
      if (idle) continue;
      if (this.#count < mostSessions) {
        const session = await this.#made();
        if (session) return session;
        // One may have come back meanwhile: nothing would wake this waiter.
        if (this.#idle.length > 0) continue;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Makes a connection; undefined if the server has none left, so that those that are open here must do. */
  async #made(): Promise<Session | undefined> {
    this.#count++;
    try {
      const session = await this.#options.open();
      this.#sessions.add(session);
      session.onEnd = () => {
        this.#sessions.delete(session);
        this.#count--;
        this.#waiting.shift()?.();
      };
      return session;
    } catch (thrown) {
      this.#count--;
      if (isShortage(thrown) && this.#count > 0) return undefined;
      this.#waiting.shift()?.();
      throw thrown;
    }
  }

  #giveBack(session: Session): void {
    if (session.isOpen) this.#idle.push(session);
    this.#waiting.shift()?.();
  }

  #share<T>(settings: Settings, work: Work<T>): Promise<T> {
    return this.exclusively(async (session) => {
      await session.send(settingsQuery(settings));
      try {
        return await work(session);
      } finally {
        const reset = Object.keys(settings).map((name) => `reset ${name}`);
        if (session.isOpen) await session.run(reset.join('; '));
      }
    });
  }
}

/** Makes settings. Citus can distribute few statements by a generic plan, so that there the planner chooses. */
function settingsQuery(settings: Settings): { text: string; values: string[] } {
  const isCitus = "to_regclass('pg_catalog.pg_dist_partition') is not null";
  const set = Object.keys(settings).map((_, index) => {
    const [name, value] = [`$${2 * index + 1}`, `$${2 * index + 2}`];
    return `set_config(${name}, case when ${value} = 'force_generic_plan' and ${isCitus} then 'auto' else ${value} end, false)`;
  });
  return { text: `select ${set.join(', ')}`, values: Object.entries(settings).flat() };
}
