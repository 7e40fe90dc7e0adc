import type { ImportRow } from '../../core/store.ts';
import type { ImportTable, ImportTarget } from './imports.ts';
import { repeatedRule } from './imports-merge.ts';

/** Rows a statement: the call of a statement costs as much as a row. */
const rowsPerStatement = 32;

/** For how many rows the line is kept, to name it where their id comes again; memory stays bounded. */
const rememberedLines = 100_000;

/**
 * Imports into an entity that has no records of the resource: nothing can be there already, so that rows go in many at
 * a time, and into a table that is empty their indexes are made at the end, by sorting, which takes half as long.
 */
export function createFill(target: ImportTable): ImportTarget {
  const { connection, table, columns, violations } = target;
  const width = columns.length;
  const several = connection.prepare<unknown[]>(insertSql(target, 'insert', rowsPerStatement));
  const one = connection.prepare<unknown[]>(insertSql(target, 'insert or ignore', 1));
  const severalValues: unknown[] = new Array(width * rowsPerStatement);
  const oneValues: unknown[] = new Array(width);
  const lines = new Map<string, number>();
  const wasEmpty = connection.prepare(`select 1 from ${table} limit 1`).get() === undefined;
  let indexes: readonly string[] = [];
  let batches = 0;
  let inserted = 0;

  const putOne = (row: ImportRow) => {
    target.place(row, oneValues, 0);
    if (one.run(oneValues).changes > 0) {
      inserted++;
    } else {
      const rule = repeatedRule(lines.get(row.id));
      violations.add({ line: row.line, column: null, field: 'id', value: row.id, rule });
    }
    if (lines.size < rememberedLines && !lines.has(row.id)) lines.set(row.id, row.line);
  };

  const putSeveral = (rows: readonly ImportRow[]) => {
    rows.forEach((row, i) => {
      target.place(row, severalValues, i * width);
    });
    try {
      several.run(severalValues);
    } catch (thrown) {
      if (!isRepeatedId(thrown)) throw thrown;
      // The statement did nothing: row by row it is seen which.
      for (const row of rows) putOne(row);
      return;
    }
    inserted += rows.length;
    for (const row of rows) if (lines.size < rememberedLines) lines.set(row.id, row.line);
  };

  return {
    put(batch) {
      // A file of one batch is not worth a change of the schema.
      if (wasEmpty && batches++ === 1) indexes = dropIndexes(target);
      let at = 0;
      for (; at + rowsPerStatement <= batch.length; at += rowsPerStatement) {
        putSeveral(batch.slice(at, at + rowsPerStatement));
      }
      for (const row of batch.slice(at)) putOne(row);
    },
    finish() {
      violations.refuse();
      // A dry run is undone, the dropping of its indexes too.
      if (!target.dryRun) for (const sql of indexes) connection.exec(sql);
      return { inserted, updated: 0, unchanged: 0, removed: 0 };
    },
  };
}

/** Entity and instant are the same for all rows and stand in the statement itself. */
function insertSql({ table, columns, entity, updatedAt }: ImportTable, verb: string, rows: number): string {
  const names = columns.map((name) => `"${name}"`).join(', ');
  const row = `(${entity}, ${columns.map(() => '?').join(', ')}, '${updatedAt}')`;
  return `${verb} into ${table} (entity, ${names}, updated_at) values ${new Array(rows).fill(row).join(', ')}`;
}

/** Takes the indexes of the table away within the transaction; gives the statements that make them again. */
function dropIndexes({ connection, table }: ImportTable): string[] {
  const found = connection
    .prepare<[string], { name: string; sql: string }>(
      "select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
    )
    .all(table);
  for (const { name } of found) connection.exec(`drop index "${name}"`);
  return found.map(({ sql }) => sql);
}

function isRepeatedId(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}
