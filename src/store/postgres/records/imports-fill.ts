import type { ImportRequest } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import { findRepeats } from '../../shared/records/import-checks.ts';
import type { ImportSession, ImportTarget } from '../../shared/records/import-session.ts';
import { createCopy } from '../connection/copy.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { mayBeRepeated } from '../errors/errors.ts';
import { createIdWriter, createRecordWriter } from './import-rows.ts';

/** The temporary table with the rows of the file: their number, their line, and the fields. */
export const incoming = 'pg_temp.incoming';

/** Runs statements of an import. None is prepared: the next import has another temporary table. */
export function rowsOn(session: PostgresSession): ImportSession['rows'] {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await session.send<Row>({ text, values: [...values] })).rows;
}

/**
 * Up to this number of rows the planner may choose to look each one up by itself. It knows little of tables that have just been
 * filled, and once took ten minutes for a join of nested loops.
 */
const fewRows = 10_000;

/** Prepares the transaction of a session for statements over the rows of the temporary table. */
export async function readyForChecks(session: PostgresSession, rows: number): Promise<void> {
  await session.run(
    `set local work_mem = '64MB'; set local enable_nestloop = ${rows <= fewRows ? 'on' : 'off'}`,
  );
  await session.run(`analyze ${incoming}`);
}

/**
 * Imports into an entity without records of the resource: no row can exist already, so that all go by COPY straight into the
 * table while the file is read. The ids go with their lines into a temporary table of another connection: if two rows have
 * the same id, the first transaction is lost, and only the second one knows their lines.
 */
export async function fillRecords(
  database: Database,
  session: PostgresSession,
  table: ImportTarget,
  rows: ImportRequest['rows'],
): Promise<number> {
  const fill = async (other: PostgresSession): Promise<number> => {
    await other.run(
      `create temporary table ${incoming} (n integer, line integer, id text collate "C" not null) on commit drop`,
    );
    const ids = createCopy(other, `copy ${incoming} from stdin`);
    const records = createCopy(session, copySql(table));
    const writeIds = createIdWriter();
    const writeRows = createRecordWriter(table.resource, String(table.entity), table.updatedAt);
    let count = 0;
    let repeated: unknown;
    for await (const batch of rows) {
      if (batch.lines.length === 0) continue;
      count += batch.lines.length;
      const text = writeRows(batch);
      await ids.write(writeIds(batch));
      // After the first repeated id only the others are sought.
      repeated ??= await records.write(text).then(nothing, repeatOf);
    }
    await ids.end();
    repeated ??= await records.end().then(nothing, repeatOf);
    if (repeated === undefined) return count;
    await readyForChecks(other, Number.POSITIVE_INFINITY);
    const violations = new ViolationList();
    await findRepeats({ incoming, rows: rowsOn(other) }, violations);
    violations.refuse();
    throw repeated;
  };
  return database.transaction(fill, { idleMs: 0 });
}

function copySql({ table, columns }: ImportTarget): string {
  return `copy "${table}" (entity, ${columns.map((column) => `"${column}"`).join(', ')}, updated_at) from stdin`;
}

const nothing = () => undefined;

/** Returns the error of the database that an id is there already, and throws any other. */
function repeatOf(thrown: unknown): unknown {
  if (mayBeRepeated(thrown)) return thrown;
  throw thrown;
}
