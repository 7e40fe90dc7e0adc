import { once } from 'node:events';
import { from as copyFrom } from 'pg-copy-streams';
import type { Session } from '../connection/session.ts';

/** Bytes that may wait for the server, so that it never waits for the next batch. */
const bytesAhead = 1 << 20;

/** Rows on their way into a table by COPY, in its text format. Errors of the database are the domain's. */
export class CopyTarget {
  readonly #session: Session;
  readonly #stream: ReturnType<typeof copyFrom>;
  #failure: unknown;

  /** Begins a statement such as `copy TABLE from stdin`. */
  constructor(session: Session, copy: string) {
    this.#session = session;
    this.#stream = session.client.query(copyFrom(copy, { highWaterMark: bytesAhead }));
    this.#stream.on('error', (thrown) => {
      this.#failure ??= thrown;
      // The driver would send what still waits, over a connection that it has given back.
      this.#stream.destroy();
    });
  }

  /** Sends rows; waits while the server is behind. */
  async write(rows: string): Promise<void> {
    this.#requireOpen();
    if (!this.#stream.write(rows)) await this.#event('drain');
  }

  /** Waits until all rows are in the table, and returns their number. */
  async end(): Promise<number> {
    this.#requireOpen();
    this.#stream.end();
    await this.#event('finish');
    return this.#stream.rowCount;
  }

  /** Ends the statement without its rows, so that the transaction can be rolled back; nothing is done where it has ended. */
  async cancel(): Promise<void> {
    if (this.#failure !== undefined || this.#stream.writableFinished) return;
    const closed = new Promise<void>((resolve) => this.#stream.once('close', resolve));
    this.#stream.destroy(new Error('the import was given up'));
    await closed;
  }

  #requireOpen(): void {
    if (this.#failure !== undefined) throw this.#session.translate(this.#failure);
  }

  async #event(name: 'drain' | 'finish'): Promise<void> {
    try {
      await once(this.#stream, name);
    } catch (thrown) {
      throw this.#session.translate(thrown);
    }
  }
}
