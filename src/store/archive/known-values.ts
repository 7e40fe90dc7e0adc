import { roleNames } from '../../core/access/roles.ts';
import { weekDays } from '../../core/time/calendar.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import type { Connection } from '../sqlite-database/driver.ts';

/** SQL that is true for a column with a value that no hkctl of this version writes. */
type Check = (column: string) => string;

const oneOf =
  (values: readonly string[]): Check =>
  (column) =>
    `${column} not in (${values.map((value) => `'${value}'`).join(', ')})`;
const instant: Check = (column) => `${column} not between ${-latestDateMs} and ${latestDateMs}`;
const instantUs: Check = (column) => `${column} not between ${-Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const finite: Check = (column) => `abs(${column}) = 9e999`;
const list: Check = (column) => `not json_valid(${column}) or json_type(${column}) <> 'array'`;
const status = oneOf(['active', 'inactive']);

/** An event of the trail that waits to be moved there; see `AuditDraft`. */
const draftOfEvent: Check = (column) => {
  const type = (path: string) => `coalesce(json_type(${column}, '$.${path}'), 'null')`;
  const texts = ['action', 'osAccount', 'target', 'outcome'].map((name) => `${type(name)} <> 'text'`);
  const actor = `${type('actor')} not in ('null', 'object') or ${type('actor')} = 'object'
    and (${type('actor.id')} <> 'text' or ${type('actor.login')} <> 'text')`;
  const others = `${type('tenantId')} not in ('null', 'text') or ${type('detail')} <> 'object' or ${type('atMs')} <> 'integer'`;
  return `case when not json_valid(${column}) then true else ${[...texts, others, actor].join(' or ')} end`;
};

/** The columns whose other values no command could show. */
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
  // A time that is no instant makes a store that cannot be opened any more.
  marks: { value: instant },
  audit_outbox: { draft: draftOfEvent },
  heartbeats: { at_us: instantUs, battery: finite, signal: finite },
  summaries: {
    ...{ hour_us: instantUs, first_at_us: instantUs, last_at_us: instantUs },
    ...{ min: finite, max: finite, mean: finite, first: finite, last: finite },
  },
  drops: { until_us: instantUs },
};

/** Tables whose values must also be of the type of their column: SQLite keeps a BLOB in any of them. */
const typed: readonly string[] = [
  'tenants',
  'users',
  'entities',
  'keys',
  'key_usage',
  'marks',
  'purges',
  'audit_outbox',
  'heartbeats',
  'summaries',
  'drops',
  'backup_journal',
];
/** Much longer than any name, note or list; no table could be laid out with a text of many megabytes. */
const longestText = 65_536;
const unbounded: ReadonlySet<string> = new Set(['audit_outbox', 'backup_journal']);

/** The column of a backup in which a value is unknown, such as `users.role`; undefined if there is none. */
export function columnOfUnknownValue(backup: Connection): string | undefined {
  for (const table of new Set([...typed, ...Object.keys(checks)])) {
    const columns = backup
      .prepare<[string], { name: string; type: string }>('select name, lower(type) as type from pragma_table_info(?)')
      .all(table);
    // That of an older store has fewer columns.
    for (const { name, type } of columns) {
      for (const wrong of wrongIn(table, name, type)) {
        if (backup.prepare(`select 1 from ${table} where ${wrong}`).get()) return `${table}.${name}`;
      }
    }
  }
  return undefined;
}

/** Conditions on the wrong values of a column, the type first. */
function wrongIn(table: string, column: string, type: string): string[] {
  const conditions: string[] = [];
  if (typed.includes(table)) conditions.push(`typeof("${column}") not in ('${type}', 'null')`);
  if (typed.includes(table) && type === 'text' && !unbounded.has(table)) {
    conditions.push(`length("${column}") > ${longestText}`);
  }
  const check = checks[table]?.[column];
  return check ? [...conditions, check(column)] : conditions;
}
