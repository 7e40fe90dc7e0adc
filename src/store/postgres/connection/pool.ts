import { setTimeout as pause } from 'node:timers/promises';
import { isShortage } from '../errors/errors.ts';
import type { PostgresSession } from './session.ts';

/** The most connections that work has alone. */
const mostSessions = 8;
/** The time for which a lane does without a connection if the server has none left. */
const shortageMs = 1000;
/** How long work waits for an open connection if the server has no other left. */
const mostWaitMs = 5000;

/** Runs single statements, and sends rows. */
export type Lane = Pick<PostgresSession, 'query' | 'copy'>;

type Work<T> = (session: PostgresSession) => Promise<T>;

/**
 * Connections next to the main one, made when needed and kept: some that one piece of work at a time has alone, such as a
 * transaction, and one for each lane. If the server has none left, lanes share the connections for work.
 */
export abstract class Pool {
  readonly #idle: PostgresSession[] = [];
  #waiting: (() => void)[] = [];
  /** Connections that work has alone, also those that are being made. */
  #count = 0;

  /** Makes a connection; rejects while the database is away. */
  protected abstract open(): Promise<PostgresSession>;

  /** Waits for a connection no longer than the caller may; `onLate` gets one that comes after that. */
  protected abstract inTime(
    session: Promise<PostgresSession>,
    onLate?: (session: PostgresSession) => void,
  ): Promise<PostgresSession>;

  /** Runs `work` on a connection that nothing else uses meanwhile; waits if all are in use. */
  async exclusively<T>(work: Work<T>): Promise<T> {
    const taking = this.#take();
    const session = await this.inTime(taking, (lateSession) => this.#giveBack(lateSession));
    try {
      return await work(session);
    } finally {
      this.#giveBack(session);
    }
  }

  /**
   * A connection that takes the statements of many at a time and is apart from the others: neither waits for the other's
   * answers. It is made at the first use, and again once it was lost or has too many statements.
   */
  lane(): Lane {
    let current: PostgresSession | undefined;
    let opening: Promise<PostgresSession> | undefined;
    let sharesUntilMs = 0;

    const openCurrent = async () => {
      current = await this.open();
      return current;
    };

    const runOnLane = async <T>(work: Work<T>): Promise<T> => {
      if (current?.isWorn) {
        // Running statements are still answered.
        void current.close();
        current = undefined;
      }
      if (current?.isOpen) return work(current);
      if (performance.now() < sharesUntilMs) return this.exclusively(work);
      opening ??= openCurrent().finally(() => {
        opening = undefined;
      });
      const session = await this.inTime(opening).catch((thrown: unknown) => {
        if (!isShortage(thrown)) throw thrown;
        sharesUntilMs = performance.now() + shortageMs;
      });
      return session ? work(session) : this.exclusively(work);
    };

    return {
      query: (statement, values) => runOnLane((session) => session.query(statement, values)),
      copy: (statement, rows) => runOnLane((session) => session.copy(statement, rows)),
    };
  }

  async #take(): Promise<PostgresSession> {
    for (;;) {
      const idleSession = this.#popIdle();
      if (idleSession) return idleSession;

      // From before the next attempt: one that comes back meanwhile counts.
      const comesBack = new Promise<boolean>((resolve) => this.#waiting.push(() => resolve(true)));
      try {
        if (this.#count < mostSessions) return await this.#make();
        await comesBack;
      } catch (thrown) {
        if (!isShortage(thrown) || this.#count === 0) throw thrown;
        // The open connections must do, unless the work that has them waits for this one.
        const timeout = pause(mostWaitMs, false, { ref: false });
        const hasComeBack = await Promise.race([comesBack, timeout]);
        if (!hasComeBack) throw thrown;
      }
    }
  }

  #popIdle(): PostgresSession | undefined {
    let session = this.#idle.pop();
    while (session && !session.isOpen) session = this.#idle.pop();
    return session;
  }

  async #make(): Promise<PostgresSession> {
    this.#count++;
    try {
      const session = await this.open();
      session.onEnd(() => {
        this.#count--;
        this.#wake();
      });
      return session;
    } catch (thrown) {
      this.#count--;
      if (!isShortage(thrown) || this.#count === 0) this.#wake();
      throw thrown;
    }
  }

  #giveBack(session: PostgresSession): void {
    if (session.isWorn) void session.close();
    else if (session.isOpen) this.#idle.push(session);
    this.#wake();
  }

  /** Wakes all that wait: work that finds no connection waits again, in the same order. */
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
