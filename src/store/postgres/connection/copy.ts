import { once } from 'node:events';
import { from as copyFrom } from 'pg-copy-streams';
import type { Session } from './session.ts';

/** Bytes that may wait for the server, so that it never waits for the next rows. */
const bytesAhead = 1 << 20;

type Translate = (thrown: unknown) => unknown;

/**
 * Sends rows in the text format of COPY by a statement such as `copy TABLE from stdin`, and returns their number. An error of
 * the source is thrown as it is, one of the database as `translate` returns it.
 */
export async function copyRows(
  session: Session,
  copy: string,
  rows: Iterable<string> | AsyncIterable<string>,
  translate?: Translate,
): Promise<number> {
  const target = new CopyTarget(session, copy, translate);
  try {
    for await (const text of rows) await target.write(text);
    return await target.end();
  } catch (thrown) {
    await target.cancel();
    throw thrown;
  }
}

/** Rows on their way into a table by COPY. Errors of the database are the domain's, or those of `translate`. */
export class CopyTarget {
  readonly #stream: ReturnType<typeof copyFrom>;
  readonly #translate: Translate;
  #failure: unknown;

  constructor(session: Session, copy: string, translate: Translate = (thrown) => session.translate(thrown)) {
    this.#translate = translate;
    this.#stream = session.client.query(copyFrom(copy, { highWaterMark: bytesAhead }));
    this.#stream.on('error', (thrown) => {
      this.#failure ??= thrown;
      // The driver would send what still waits, over a connection that it has given back.
      this.#stream.destroy();
    });
  }

  async write(rows: string): Promise<void> {
    this.#requireOpen();
    if (!this.#stream.write(rows)) await this.#event('drain');
  }

  async end(): Promise<number> {
    this.#requireOpen();
    this.#stream.end();
    await this.#event('finish');
    return this.#stream.rowCount;
  }

  /** Ends the statement without its rows, so that the transaction can be rolled back; nothing is done if it has ended. */
  async cancel(): Promise<void> {
    if (this.#failure !== undefined || this.#stream.writableFinished) return;
    const closed = new Promise<void>((resolve) => this.#stream.once('close', resolve));
    this.#stream.destroy(new Error('the rows were given up'));
    await closed;
  }

  #requireOpen(): void {
    if (this.#failure !== undefined) throw this.#translate(this.#failure);
  }

  async #event(name: 'drain' | 'finish'): Promise<void> {
    try {
      await once(this.#stream, name);
    } catch (thrown) {
      throw this.#translate(thrown);
    }
  }
}
