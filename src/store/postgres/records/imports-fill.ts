import type { ImportRequest, ImportSummary } from '../../../core/port/records.ts';
import { ViolationList } from '../../../core/records/imports.ts';
import type { ImportTable } from '../../records/imports.ts';
import { CopyTarget } from '../connection/copy.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { mayBeRepeated } from '../errors/errors.ts';
import { createIdWriter, createRecordWriter } from './import-rows.ts';
import { incoming } from './import-table.ts';
import { findRepeats, readyForChecks } from './imports-checks.ts';

/**
 * Imports into an entity without records of the resource: no row can exist already, so that all go by COPY straight into the
 * table while the file is read. The ids go with their lines into a temporary table of another connection: if two rows have
 * the same id, the first transaction is lost, and only the second one knows their lines.
 */
export async function fillRecords(
  database: Database,
  session: Session,
  table: ImportTable,
  { resource, rows }: ImportRequest,
): Promise<ImportSummary> {
  const fill = async (other: Session): Promise<number> => {
    await other.run(
      `create temporary table ${incoming} (n integer, line integer, id text collate "C" not null) on commit drop`,
    );
    const ids = new CopyTarget(other, `copy ${incoming} from stdin`);
    const records = new CopyTarget(session, copySql(table));
    const writeIds = createIdWriter();
    const writeRows = createRecordWriter(resource, String(table.entity), table.updatedAt);
    let repeated: unknown;
    try {
      for await (const batch of rows) {
        if (batch.lines.length === 0) continue;
        const text = writeRows(batch);
        await ids.write(writeIds(batch));
        // After the first repeated id only the others are sought.
        repeated ??= await repeatIn(records.write(text));
      }
      const count = await ids.end();
      repeated ??= await repeatIn(records.end());
      if (repeated === undefined) return count;
    } catch (thrown) {
      await Promise.all([ids.cancel(), records.cancel()]);
      throw thrown;
    }
    await readyForChecks(other, Number.POSITIVE_INFINITY);
    const violations = new ViolationList();
    await findRepeats(other, violations);
    violations.refuse();
    throw repeated;
  };
  const inserted = await database.transaction(fill, { idleMs: 0 });
  return { inserted, updated: 0, unchanged: 0, removed: 0 };
}

function copySql({ table, columns }: ImportTable): string {
  return `copy "${table}" (entity, ${columns.map((column) => `"${column}"`).join(', ')}, updated_at) from stdin`;
}

/** Returns the error of the database that an id is there already, and throws any other. */
async function repeatIn(copied: Promise<unknown>): Promise<unknown> {
  try {
    await copied;
    return undefined;
  } catch (thrown) {
    if (mayBeRepeated(thrown)) return thrown;
    throw thrown;
  }
}
