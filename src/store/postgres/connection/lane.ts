import { sha256 } from '../../../core/digest.ts';
import { isShortage } from '../errors/errors.ts';
import type { Session } from './session.ts';

export type LaneSettings = Readonly<Record<string, string>>;

/**
 * SQL that makes settings, whose names and values are its parameters. Citus can distribute few statements by a generic plan, so
 * that there the planner chooses.
 */
export function settingsSql(settings: LaneSettings): string {
  const isCitus = "to_regclass('pg_catalog.pg_dist_partition') is not null";
  const set = Object.keys(settings).map((_, index) => {
    const [name, value] = [`$${2 * index + 1}`, `$${2 * index + 2}`];
    return `set_config(${name}, case when ${value} = 'force_generic_plan' and ${isCitus} then 'auto' else ${value} end, false)`;
  });
  return `select ${set.join(', ')}`;
}

/** The most statements of one connection, since the server keeps a plan of each until the connection ends. */
const mostStatements = 500;

/** The time for which a lane does without a connection if the server has none left. */
const shortageMs = 1000;

/** Runs work on a connection of others, with the settings of the lane meanwhile. */
type Share = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** Waits for a connection that is being made since an instant (`performance.now()`), but not for ever. */
type Await = (opening: Promise<Session>, beganAt: number) => Promise<Session>;

/**
 * A pipelined connection for single statements of one kind, with settings of its own and apart from the main one: neither waits
 * for the other's answers. It is made at the first use, and again once it was lost. If the server has none left, it shares
 * those that are open.
 */
export class Lane {
  readonly #open: () => Promise<Session>;
  readonly #share: Share | undefined;
  readonly #await: Await;
  #openingSince = 0;
  #opening: Promise<Session> | undefined;
  #session: Session | undefined;
  #sharesUntil = 0;
  readonly #names = new Map<string, string>();

  constructor(open: () => Promise<Session>, share?: Share, wait: Await = (opening) => opening) {
    this.#open = open;
    this.#share = share;
    this.#await = wait;
  }

  /** Runs a statement, which the connection prepares at the first use. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const name = this.#nameOf(text);
    if (this.#session?.isOpen) return this.#session.query<Row>(name, text, values);
    return this.#withSession((session) => session.query<Row>(name, text, values));
  }

  /** Runs a statement that writes; returns the number of rows that it has written. */
  change(text: string, values?: readonly unknown[]): Promise<number> {
    const name = this.#nameOf(text);
    if (this.#session?.isOpen) return this.#session.change(name, text, values);
    return this.#withSession((session) => session.change(name, text, values));
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#session?.close();
  }

  /** Closes the connection at once; running statements fail with `store_unreachable`. */
  destroy(why: string): void {
    this.#session?.destroy(why);
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= mostStatements) this.#leave();
    // The same on every connection, since a store that is being created has only one.
    const name = `lane.${sha256(text, 'base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return name;
  }

  async #withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const share = this.#share;
    if (share && performance.now() < this.#sharesUntil) return share(work);
    let session: Session;
    try {
      session = await this.#await(this.#opened(), this.#openingSince);
    } catch (thrown) {
      if (!share || !isShortage(thrown)) throw thrown;
      this.#sharesUntil = performance.now() + shortageMs;
      return share(work);
    }
    return work(session);
  }

  #opened(): Promise<Session> {
    if (this.#opening === undefined) this.#openingSince = performance.now();
    this.#opening ??= this.#open()
      .then((session) => {
        this.#session = session;
        return session;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Running statements are still answered. */
  #leave(): void {
    const left = this.#session;
    this.#session = undefined;
    this.#names.clear();
    left?.close().catch((thrown) => left.destroy('it could not be closed', thrown));
  }
}

export function sharing(database: { exclusively: Share }, settings: LaneSettings): Share {
  return (work) =>
    database.exclusively(async (session) => {
      await session.send({ text: settingsSql(settings), values: Object.entries(settings).flat() });
      try {
        return await work(session);
      } finally {
        const reset = Object.keys(settings).map((name) => `reset ${name}`);
        if (session.isOpen) await session.run(reset.join('; '));
      }
    });
}
