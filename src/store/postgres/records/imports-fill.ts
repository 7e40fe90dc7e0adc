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
  return async <Row>(statement: string, values: readonly unknown[] = []) => {
    const result = await session.send<Row>({ text: statement, values: [...values] });
    return result.rows;
  };
}

/**
 * Up to this number of rows the planner may choose to look each one up by itself. It knows little of tables that have just been
 * filled, and once took ten minutes for a join of nested loops.
 */
const fewRows = 10_000;

/** Prepares the transaction of a session for statements over the rows of the temporary table. */
export async function readyForChecks(session: PostgresSession, rowCount: number): Promise<void> {
  const nestedLoops = rowCount <= fewRows ? 'on' : 'off';
  await session.run(`set local work_mem = '64MB'; set local enable_nestloop = ${nestedLoops}`);
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
  batches: ImportRequest['rows'],
): Promise<number> {
  const fillBoth = async (idSession: PostgresSession): Promise<number> => {
    await idSession.run(
      `create temporary table ${incoming} (n integer, line integer, id text collate "C" not null) on commit drop`,
    );
    const idCopy = createCopy(idSession, `copy ${incoming} from stdin`);
    const recordCopy = createCopy(session, copySql(table));
    const writeIds = createIdWriter();
    const writeRows = createRecordWriter(table.resource, String(table.entity), table.updatedAt);

    let rowCount = 0;
    let repeatError: unknown;
    for await (const batch of batches) {
      if (batch.lines.length === 0) continue;
      rowCount += batch.lines.length;
      const recordRows = writeRows(batch);
      await idCopy.write(writeIds(batch));
      // After the first repeated id, only the ids are still written: the check names all repeats.
      repeatError ??= await recordCopy.write(recordRows).then(toUndefined, repeatErrorOf);
    }
    await idCopy.end();
    repeatError ??= await recordCopy.end().then(toUndefined, repeatErrorOf);
    if (repeatError === undefined) return rowCount;

    await readyForChecks(idSession, Number.POSITIVE_INFINITY);
    const violations = new ViolationList();
    const rows = rowsOn(idSession);
    await findRepeats({ incoming, rows }, violations);
    violations.refuse();
    throw repeatError;
  };
  return database.transaction(fillBoth, { idleMs: 0 });
}

function copySql({ table, columns }: ImportTarget): string {
  const columnList = columns.map((column) => `"${column}"`).join(', ');
  return `copy "${table}" (entity, ${columnList}, updated_at) from stdin`;
}

const toUndefined = () => undefined;

/** Returns the error of the database that an id is there already, and throws any other. */
function repeatErrorOf(thrown: unknown): unknown {
  if (mayBeRepeated(thrown)) return thrown;
  throw thrown;
}
