import type { Session } from '../connection/session.ts';

/** The temporary table with the rows of the file: their number, their line, and the fields. */
export const incoming = 'pg_temp.incoming';

/**
 * The same rows, or columns of them, for statements with tables that Citus may have distributed: it joins no local table with
 * such a one, but the result of a subquery that it cannot dissolve. PostgreSQL plans both alike.
 */
export function rowsOfFile(columns = '*'): string {
  return `(select ${columns} from ${incoming} offset 0)`;
}

/** Runs a statement of an import. None is prepared: the next import has another temporary table. */
export function rowsOf<Row>(session: Session, text: string, values: unknown[] = []): Promise<Row[]> {
  return session.send<Row>({ text, values }).then(({ rows }) => rows);
}
