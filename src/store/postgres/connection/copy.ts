import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Session } from './session.ts';

/** Rows in the text format of COPY, in pieces of any length. */
type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/**
 * Sends rows by a statement `copy … from stdin`, and returns their number. An error of the source is thrown as it is, also where
 * it has the same code as one of the database; `fromDatabase` turns one of the database into that of the caller.
 */
export async function copyIn(
  session: Session,
  statement: string,
  source: () => Pieces,
  fromDatabase: (thrown: unknown) => unknown = (thrown) => session.translate(thrown),
): Promise<number> {
  const target = session.client.query(copyFrom(statement));
  let ofSource: unknown;
  const pieces = async function* () {
    try {
      yield* source();
    } catch (thrown) {
      ofSource = thrown;
      throw thrown;
    }
  };
  try {
    await pipeline(pieces, target);
  } catch (thrown) {
    throw thrown === ofSource ? thrown : fromDatabase(thrown);
  }
  return target.rowCount;
}
