import { keptLists } from '../../../core/fields/fields.ts';
import { valueAt } from '../../../core/fields/import-batch.ts';
import { ambiguousRule, repeatedRule, sharedRule } from '../../records/imports.ts';
import type { Connection, Statement } from '../../sqlite-database/driver.ts';
import { rememberRemoved } from './changes.ts';
import type { ImportTarget, OpenTable } from './import-target.ts';

/** Imports into existing records: each row is inserted, or updated if a field differs. */
export function createMerge(target: OpenTable): ImportTarget {
  const { connection, table, entity, columns, updatedAt, violations } = target;
  connection.exec('create temp table seen (id text primary key, line integer) without rowid');
  const see = connection.prepare<[string, number]>('insert or ignore into temp.seen (id, line) values (?, ?)');
  const find = connection.prepare<[number, string]>(`select 1 from ${table} where entity = ? and id = ?`);
  const upsert = createUpsert(target);
  const lineOf = createLineOf(connection);
  const summary = { inserted: 0, updated: 0, unchanged: 0, removed: 0 };
  const values: unknown[] = new Array(columns.length + 2);
  values[0] = entity;
  values[columns.length + 1] = updatedAt;

  return {
    absentList: undefined,
    put(batch) {
      batch.lines.forEach((line, row) => {
        batch.columns.forEach((column, i) => {
          values[i + 1] = valueAt(column, row);
        });
        const id = String(values[1]);
        if (see.run(id, line).changes === 0) {
          violations.add({ line, column: null, field: 'id', value: id, rule: repeatedRule(lineOf(id)) });
          return;
        }
        const isKnown = find.get(entity, id) !== undefined;
        const { changes } = upsert(values);
        if (!isKnown) summary.inserted++;
        else if (changes > 0) summary.updated++;
        else summary.unchanged++;
      });
    },
    finish() {
      if (target.replace) {
        const isGone = 'id not in (select id from temp.seen)';
        rememberRemoved(target, isGone);
        const remove = `delete from ${table} where entity = ? and ${isGone}`;
        summary.removed = connection.prepare(remove).run(entity).changes;
      }
      findShared(target, lineOf);
      connection.exec('drop table temp.seen');
      violations.refuse();
      return summary;
    },
  };
}

/**
 * Writes a row: the entity, the columns, `updated_at`. A list that the row does not have is undefined: it stays as it is stored,
 * and is empty in a new record.
 */
function createUpsert({ connection, resource, table, columns }: OpenTable) {
  const whole = connection.prepare<unknown[]>(upsertSql(table, columns, []));
  const kept = keptLists(resource).map((name) => ({ name, at: columns.indexOf(name) + 1 }));
  const partial = new Map<string, Statement>();
  return (values: readonly unknown[]): { changes: number } => {
    const absent = kept.filter(({ at }) => values[at] === undefined).map(({ name }) => name);
    if (absent.length === 0) return whole.run(...values);
    let statement = partial.get(absent.join());
    if (statement === undefined) {
      statement = connection.prepare<unknown[]>(upsertSql(table, columns, absent));
      partial.set(absent.join(), statement);
    }
    return statement.run(...values.filter((value) => value !== undefined));
  };
}

/** Inserts, or updates if a field differs: `updated_at` changes only with another field. */
function upsertSql(table: string, names: readonly string[], absent: readonly string[]): string {
  const all = ['entity', ...names, 'updated_at'];
  const columns = all.map((name) => `"${name}"`);
  const values = all.map((name) => (absent.includes(name) ? "'[]'" : '?'));
  const own = names.filter((name) => name !== 'id' && !absent.includes(name));
  const mine = own.map((name) => `${table}."${name}"`).join(', ');
  const given = own.map((name) => `excluded."${name}"`).join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})
    on conflict (entity, id) do update set ${[...own, 'updated_at'].map((name) => `"${name}" = excluded."${name}"`).join(', ')}
    where (${mine}) is not (${given})`;
}

function createLineOf(connection: Connection): (id: string) => number | undefined {
  const statement = connection.prepare<[string], number>('select line from temp.seen where id = ?').pluck();
  return (id) => statement.get(id);
}

/** Reports records that share a value of a unique field, found in the order of that field's index, or have another's id as such. */
function findShared(target: OpenTable, lineOf: (id: string) => number | undefined): void {
  const { connection, resource, table, entity, violations } = target;
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!field.unique) continue;
    const shared = connection.prepare<[number], { value: string; ids: string }>(
      `select "${name}" as value, json_group_array(id) as ids from ${table}
       where entity = ? and "${name}" is not null group by "${name}" having count(*) > 1`,
    );
    for (const { value, ids } of shared.iterate(entity)) {
      const holders: string[] = JSON.parse(ids);
      const lines = holders.flatMap((id) => lineOf(id) ?? []);
      const line = lines.length > 0 ? Math.max(...lines) : null;
      violations.add({ line, column: null, field: name, value: String(value), rule: sharedRule(holders) });
    }
    const ambiguous = connection.prepare<[number], { value: string; id: string }>(
      `select a."${name}" as value, a.id as id from ${table} as a cross join ${table} as b
       where a.entity = ? and b.entity = a.entity and b.id = a."${name}" and b.id <> a.id order by a.id`,
    );
    for (const { value, id } of ambiguous.iterate(entity)) {
      const line = lineOf(id) ?? lineOf(value) ?? null;
      violations.add({ line, column: null, field: name, value, rule: ambiguousRule(value) });
    }
  }
}
