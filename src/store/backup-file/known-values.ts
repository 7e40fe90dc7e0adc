import { roleNames } from '../../core/access/roles.ts';
import { weekDays } from '../../core/time/calendar.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import type { Connection } from '../sqlite/connection/driver.ts';

/** SQL that is true for a column with a value that no hkctl of this version writes. */
type Check = (column: string) => string;

const oneOf =
  (values: readonly string[]): Check =>
  (column) =>
    `${column} not in (${values.map((value) => `'${value}'`).join(', ')})`;
const instant: Check = (column) => `${column} not between ${-latestDateMs} and ${latestDateMs}`;
const list: Check = (column) => `not json_valid(${column}) or json_type(${column}) <> 'array'`;
const status = oneOf(['active', 'inactive']);

/** The columns of the registry whose other values no command could show. */
const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  tenants: { week_start: oneOf(weekDays), created_at_ms: instant },
  users: { role: oneOf(roleNames), status },
  entities: { status },
  keys: {
    permissions: list,
    allowed_ips: list,
    created_at_ms: instant,
    expires_at_ms: instant,
    revoked_at_ms: instant,
    last_used_at_ms: instant,
  },
  audit: { at_ms: instant },
};

/** The column of a backup in which a value is unknown, such as `users.role`; undefined where there is none. */
export function columnOfUnknownValue(backup: Connection): string | undefined {
  for (const [table, ofColumns] of Object.entries(checks)) {
    // That of an older store has fewer columns.
    const there = backup.prepare('select name from pragma_table_info(?)').pluck().all(table);
    for (const [column, check] of Object.entries(ofColumns)) {
      if (!there.includes(column)) continue;
      if (backup.prepare(`select 1 from ${table} where ${check(column)}`).get()) return `${table}.${column}`;
    }
  }
  return undefined;
}
