import type { Session } from '../connection/session.ts';

/** A row, its values in the order of the columns. */
export type Row = readonly unknown[];

/** Rows of a piece; two pieces are in memory at once. */
const fetched = 5000;

/**
 * The rows of a query inside the transaction of a session, fetched piece by piece: the next piece is on its way while the
 * caller works on one.
 */
export async function* cursorRows(session: Session, query: string): AsyncGenerator<Row[]> {
  await session.run(`declare backup_rows no scroll cursor for ${query}`);
  const fetch = () => {
    const piece = session.send<unknown[]>({ text: `fetch ${fetched} from backup_rows`, rowMode: 'array' });
    // It may fail before it is awaited, and is reported then.
    void Promise.allSettled([piece]);
    return piece;
  };
  let next = fetch();
  try {
    for (;;) {
      const { rows } = await next;
      const isLast = rows.length < fetched;
      if (!isLast) next = fetch();
      if (rows.length > 0) yield rows;
      if (isLast) break;
    }
  } finally {
    // If the caller gives up, nobody waits for a failure of the piece that is being fetched.
    await Promise.allSettled([next]);
  }
  await session.run('close backup_rows');
}
