import { isShortage } from '../errors/errors.ts';
import type { Session } from './session.ts';

/** The most connections besides the pipelined ones. */
const mostSessions = 8;

/** Connections that one piece of work at a time uses alone, such as a transaction: a few, made when needed and kept. */
export class OtherSessions {
  readonly #openSession: () => Promise<Session>;
  readonly #idle: Session[] = [];
  readonly #sessions = new Set<Session>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** `open` makes a connection; it rejects while the database is away. */
  constructor(open: () => Promise<Session>) {
    this.#openSession = open;
  }

  async take(): Promise<Session> {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) if (session.isOpen) return session;
    if (this.#open >= mostSessions) return this.#takeLater();
    this.#open++;
    try {
      const session = await this.#openSession();
      this.#sessions.add(session);
      session.onEnd = () => {
        this.#sessions.delete(session);
        this.#open--;
        this.#waiting.shift()?.();
      };
      return session;
    } catch (thrown) {
      this.#open--;
      // Others use up the connections of the server: those that are open here must do.
      if (isShortage(thrown) && this.#open > 0) return this.#takeLater();
      this.#waiting.shift()?.();
      throw thrown;
    }
  }

  giveBack(session: Session): void {
    if (session.isOpen) this.#idle.push(session);
    this.#waiting.shift()?.();
  }

  takeIdle(): Session[] {
    return this.#idle.splice(0);
  }

  destroy(why: string): void {
    for (const session of this.#sessions) session.destroy(why);
    // All of them, also those beyond the number of connections that ended, which would otherwise wait for ever.
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }

  async #takeLater(): Promise<Session> {
    // One may have come back while another was refused: nothing would wake this waiter.
    if (this.#idle.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.take();
  }
}
