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
const instantUs: Check = (column) =>
  `${column} not between ${-Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const finite: Check = (column) => `abs(${column}) = 9e999`;
const list: Check = (column) => `not json_valid(${column}) or json_type(${column}) <> 'array'`;
const status = oneOf(['active', 'inactive']);

/** An event of the trail that waits to be moved there; see `AuditDraft`. */
const draftOfEvent: Check = (column) => {
  const type = (path: string) => `coalesce(json_type(${column}, '$.${path}'), 'null')`;
  const texts = ['action', 'osAccount', 'target', 'outcome'].map(
    (name) => `${type(name)} <> 'text'`,
  );
  const actor = `${type('actor')} not in ('null', 'object') or ${type('actor')} = 'object'
    and (${type('actor.id')} <> 'text' or ${type('actor.login')} <> 'text')`;
  const others = `${type('tenantId')} not in ('null', 'text') or ${type('detail')} <> 'object' or ${type('atMs')} <> 'integer'`;
  return `case when not json_valid(${column}) then true else ${[...texts, others, actor].join(' or ')} end`;
};

const ofColumn: Readonly<Record<string, Check>> = {
  'tenants.week_start': oneOf(weekDays),
  'users.role': oneOf(roleNames),
  'users.status': status,
  'entities.status': status,
  'keys.permissions': list,
  'keys.allowed_ips': list,
  // A time that is no instant makes a store that cannot be opened any more.
  'marks.value': instant,
  'audit_outbox.draft': draftOfEvent,
};

/** The tables whose values no command could show otherwise; records are checked as they are read, the trail by its chain. */
const tables = [
  ...[
    'tenants',
    'users',
    'entities',
    'keys',
    'key_usage',
    'marks',
    'purges',
    'audit',
    'audit_outbox',
  ],
  ...['heartbeats', 'summaries', 'drops', 'backup_journal'],
];
/** Much longer than any name, note or list; no table could be laid out with a text of many megabytes. */
const longestText = 65_536;
const unbounded: ReadonlySet<string> = new Set(['audit', 'audit_outbox', 'backup_journal']);

/** The column of a backup in which a value is unknown, such as `users.role`; undefined if there is none. */
export function columnOfUnknownValue(backup: Connection): string | undefined {
  for (const table of tables) {
    const columns = backup
      .prepare<[string], { name: string; type: string }>(
        'select name, lower(type) as type from pragma_table_info(?)',
      )
      .all(table);
    // That of an older store has fewer columns.
    if (columns.length === 0) continue;
    const wrong = columns.map(
      ({ name, type }) => `when ${wrongIn(table, name, type)} then '${name}'`,
    );
    const found = backup.prepare<[], string>(
      `select name from (select case ${wrong.join(' ')} end as name from ${table}) where name is not null`,
    );
    const column = found.pluck().get();
    if (column !== undefined) return `${table}.${column}`;
  }
  return undefined;
}

function wrongIn(table: string, column: string, type: string): string {
  const conditions = [`typeof("${column}") not in ('${type}', 'null')`];
  if (type === 'text' && !unbounded.has(table))
    conditions.push(`length("${column}") > ${longestText}`);
  const checks = [
    type === 'real' && finite,
    column.endsWith('_ms') && instant,
    column.endsWith('_us') && instantUs,
    ofColumn[`${table}.${column}`],
  ];
  return [...conditions, ...checks.flatMap((check) => (check ? check(`"${column}"`) : []))].join(
    ' or ',
  );
}
