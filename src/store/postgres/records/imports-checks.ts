import type { ViolationList } from '../../../core/records/imports.ts';
import { ambiguousRule, type ImportTable, repeatedRule, sharedRule } from '../../records/imports.ts';
import type { Session } from '../connection/session.ts';
import { incoming, rowsOf, rowsOfFile } from './import-table.ts';

/** Violations that are fetched; of further ones only the number is reported. */
const mostFetched = 100;

/**
 * Up to this number of rows the planner may choose to look each one up by itself. It knows little of tables that have just been
 * filled, and once took ten minutes for a join of nested loops.
 */
const fewRows = 10_000;

/** Prepares the transaction of a session for statements over the rows of the temporary table. */
export async function readyForChecks(session: Session, rows: number): Promise<void> {
  await session.run(`set local work_mem = '64MB'; set local enable_nestloop = ${rows <= fewRows ? 'on' : 'off'}`);
  await session.run(`analyze ${incoming}`);
}

/** Checks what only the whole file shows: rows with the same id, and records with the same value of a unique field. */
export async function checkWhole(session: Session, table: ImportTable, violations: ViolationList): Promise<void> {
  const unique = Object.entries(table.resource.fields).filter(([, field]) => field.unique);
  await findRepeats(session, violations);
  if (violations.count > 0 && unique.length > 0) await session.run(deleteRepeats);
  for (const [field] of unique) await findShared(session, table, field, violations);
}

interface Repeat {
  line: number;
  id: string;
  first: number;
  total: number;
}

/** Reports each row whose id an earlier row has, in the order of the file. */
export async function findRepeats(session: Session, violations: ViolationList): Promise<void> {
  const any = await rowsOf(session, `select from ${incoming} group by id having count(*) > 1 limit 1`);
  if (any.length === 0) return;
  const repeats = await rowsOf<Repeat>(session, repeatsSql);
  for (const { line, id, first } of repeats) {
    violations.add({ line, column: null, field: 'id', value: id, rule: repeatedRule(first) });
  }
  violations.count += (repeats[0]?.total ?? 0) - repeats.length;
}

const repeatsSql = `select line, id, first, count(*) over () as total from (
    select n, line, id, first_value(line) over same as first, row_number() over same as place from ${incoming}
    where id in (select id from ${incoming} group by id having count(*) > 1)
    window same as (partition by id order by n)) as repeated
  where place > 1 order by n limit ${mostFetched}`;

const deleteRepeats = `delete from ${incoming} as i using (
    select n, row_number() over (partition by id order by n) as place from ${incoming}) as placed
  where placed.n = i.n and placed.place > 1`;

interface Shared {
  value: string;
  ids: string[];
  line: number | null;
  total: number;
}

/**
 * Reports records that would share a value, with the last line that has it, or would have another's id as such; other records of
 * the entity count, too.
 */
async function findShared(
  session: Session,
  { table, entity, replace }: ImportTable,
  field: string,
  violations: ViolationList,
): Promise<void> {
  const others = `select "${field}" as value, id, null as line from ${table} as t where entity = $1
    and not exists (select 1 from ${rowsOfFile('id')} as i where i.id = t.id)`;
  const after = `with r as (select "${field}" as value, id, line from ${incoming}${replace ? '' : ` union all ${others}`})`;
  const report = async (sql: string, ruleOf: (shared: Shared) => string) => {
    const found = await rowsOf<Shared>(session, `${after} ${sql} limit ${mostFetched}`, replace ? [] : [entity]);
    for (const shared of found) {
      const { line, value } = shared;
      violations.add({ line, column: null, field, value: String(value), rule: ruleOf(shared) });
    }
    violations.count += (found[0]?.total ?? 0) - found.length;
  };
  await report(
    `select value, array_agg(id order by id) as ids, max(line) as line, count(*) over () as total from r
      where value is not null group by value having count(*) > 1 order by value`,
    ({ ids }) => sharedRule(ids),
  );
  await report(
    `select a.value, coalesce(a.line, b.line) as line, count(*) over () as total
      from r as a join r as b on b.id = a.value and b.id <> a.id order by a.id`,
    ({ value }) => ambiguousRule(value),
  );
}
