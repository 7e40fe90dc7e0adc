import type { ViolationList } from '../../../core/records/imports.ts';
import { textOfAny } from '../../../core/text/shown-text.ts';
import type { ImportSession, ImportTarget } from './import-session.ts';

/** Violations that are fetched; of further ones only the number is reported. */
const mostFetched = 100;

/** Checks the file as a whole: for rows with the same id, and for records with the same value of a unique field. */
export async function checkWhole(
  session: ImportSession,
  table: ImportTarget,
  violations: ViolationList,
): Promise<void> {
  const uniqueFields = Object.entries(table.resource.fields).filter(([, field]) => field.unique);
  await findRepeats(session, violations);
  if (violations.count > 0 && uniqueFields.length > 0) {
    const placedRows = `select n, row_number() over (partition by id order by n) as place from ${session.incoming}`;
    await session.rows(
      `delete from ${session.incoming} where n in (select n from (${placedRows}) as placed where place > 1)`,
    );
  }
  for (const [field] of uniqueFields) await findShared(session, table, field, violations);
}

interface ViolatingRow {
  line: number | null;
  value: string;
  total: number;
}

/** Reports each row whose id an earlier row has, in the order of the file. */
export async function findRepeats(
  { incoming, rows }: Pick<ImportSession, 'incoming' | 'rows'>,
  violations: ViolationList,
): Promise<void> {
  const repeatedIdsSql = `select id from ${incoming} group by id having count(*) > 1`;
  if ((await rows(`${repeatedIdsSql} limit 1`)).length === 0) return;
  const repeatedIds = await rows<ViolatingRow & { first: number }>(`
    select line, id as value, first, count(*) over () as total from (
      select n, line, id, first_value(line) over same as first, row_number() over same as place from ${incoming}
        where id in (${repeatedIdsSql}) window same as (partition by id order by n)) as repeated
      where place > 1 order by n limit ${mostFetched}`);
  report(violations, 'id', repeatedIds, ({ first }) => repeatedRule(first));
}

export function repeatedRule(firstLine: number | undefined): string {
  const earlierPlace = firstLine === undefined ? 'in an earlier line' : `in line ${firstLine}`;
  return `is already ${earlierPlace}; an id may occur once in a file`;
}

/** A request names a record by its id or its unique field: no value may be shared, nor be the id of another record. */
async function findShared(
  { incoming, ofFile, rows }: ImportSession,
  { table, entity, replace }: ImportTarget,
  field: string,
  violations: ViolationList,
): Promise<void> {
  const otherRecords = `union all select "${field}", id, null from ${table} as t where entity = $1
    and not exists (select 1 from ${ofFile('id')} as i where i.id = t.id)`;
  const withAllRows = `with r as (select "${field}" as value, id, line from ${incoming} ${replace ? '' : otherRecords})`;
  const findRows = <Row>(statement: string) =>
    rows<Row>(`${withAllRows} ${statement} limit ${mostFetched}`, replace ? [] : [entity]);
  const sharedValues = await findRows<ViolatingRow & { ids: string }>(
    `select value, string_agg(id, '" and "' order by id) as ids, max(line) as line, count(*) over () as total from r
      where value is not null group by value having count(*) > 1 order by value`,
  );
  report(violations, field, sharedValues, ({ ids }) => `must be unique, and "${ids}" share it`);
  const ambiguousValues = await findRows<ViolatingRow>(
    `select a.value, coalesce(a.line, b.line) as line, count(*) over () as total
      from r as a join r as b on b.id = a.value and b.id <> a.id order by a.id`,
  );
  report(
    violations,
    field,
    ambiguousValues,
    ({ value }) => `must not be the id of another record, and "${value}" is one`,
  );
}

function report<Row extends ViolatingRow>(
  violations: ViolationList,
  field: string,
  violatingRows: readonly Row[],
  ruleOf: (row: Row) => string,
): void {
  for (const row of violatingRows) {
    const { line, value } = row;
    violations.add({ line, column: null, field, value: textOfAny(value), rule: ruleOf(row) });
  }
  violations.count += (violatingRows[0]?.total ?? 0) - violatingRows.length;
}
