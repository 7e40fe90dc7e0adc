import type { Session } from '../connection/session.ts';

/** A row, its values in the order of the columns. */
export type Row = readonly unknown[];

/** Rows in memory at once. */
const fetched = 5000;

/** The rows of a query inside the transaction of a session, fetched piece by piece. */
export async function* cursorRows(session: Session, query: string): AsyncGenerator<Row[]> {
  await session.run(`declare backup_rows no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await session.send<unknown[]>({ text: `fetch ${fetched} from backup_rows`, rowMode: 'array' });
    if (rows.length > 0) yield rows;
    if (rows.length < fetched) break;
  }
  await session.run('close backup_rows');
}
