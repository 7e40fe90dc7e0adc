import {
  eq,
  fillPlaceholders,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm/sql';
import type { SQLiteSelect } from 'drizzle-orm/sqlite-core';
import { mapResultRow, orderSelectedFields } from 'drizzle-orm/utils';
import { lazy } from '../../../core/memoize.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { StatementBuilder } from '../../tables/kits/sqlite.ts';
import type { RegistryTables } from '../../tables/registry.ts';
import type { JournalEntry } from '../revocation-journal.ts';

/** A statement of drizzle, compiled for one engine at its first use. `Row` is what a query returns. */
export type RegistryStatement<Row = never> = () => CompiledStatement<Row>;

interface CompiledStatement<Row> {
  readonly text: string;
  /** The values of its parameters in their order, from those that have a name. */
  valuesOf(parameters: object): unknown[];
  /** The row that the values of its columns make. */
  rowOf(values: readonly unknown[]): Row;
}

/** A statement of drizzle's builder. Only a query has fields, and rows as its result. */
interface Buildable<Result = unknown> {
  readonly _?: { readonly result: Result; readonly selectedFields?: object };
  toSQL(): { sql: string; params: unknown[] };
}

type RowOf<Built extends Buildable> = NonNullable<Built['_']>['result'] extends (infer Row)[]
  ? Row
  : never;

/** Compiles what `build` returns, once, when it is first needed: a command runs few of all statements. */
export function statement<Built extends Buildable>(
  build: () => Built,
): RegistryStatement<RowOf<Built>> {
  return lazy(() => compile(build()));
}

function compile<Built extends Buildable>(built: Built): CompiledStatement<RowOf<Built>> {
  const { sql: text, params } = built.toSQL();
  const fields = orderSelectedFields(built._?.selectedFields ?? {});
  return {
    text,
    valuesOf: (parameters) => fillPlaceholders(params, { ...parameters }),
    rowOf: (values) => mapResultRow(fields, values, noTableIsCertain),
  };
}

/** No joined table is certain to have a row: drizzle then makes a table whose first column is null, null as a whole. */
const noTableIsCertain = {};

/** A placeholder for each of the columns, by its name. */
export function placeholders<const Name extends string>(
  ...names: readonly Name[]
): Record<Name, Placeholder<Name>> {
  const entries = names.map((name) => [name, sql.placeholder(name)]);
  return Object.fromEntries(entries) as Record<Name, Placeholder<Name>>; // fromEntries loses the names
}

// drizzle exports both functions, with which its own drivers decode rows, but leaves them out of its types.
declare module 'drizzle-orm/utils' {
  interface SelectedField {
    path: string[];
    field: unknown;
  }
  function orderSelectedFields(fields: object): SelectedField[];
  function mapResultRow<Row>(
    fields: readonly SelectedField[],
    values: readonly unknown[],
    certainTables: Readonly<Record<string, boolean>>,
  ): Row;
}

/** An operation, written once for both engines: each step is the result of a statement, at once on SQLite, later on PostgreSQL. */
export type StatementSteps<T> = Generator<MaybePromise<unknown>, T, unknown>;

/** Waits for the result of a step that is needed: `const row = yield* resultOf(first(…))`. */
export function* resultOf<T>(step: MaybePromise<T>): StatementSteps<T> {
  return (yield step) as T; // both engines give a step its own result
}

/** Runs statements that drizzle has compiled, with values for their placeholders. They are prepared at their first use. */
export interface Executor {
  query<Row>(statement: RegistryStatement<Row>, values?: object): MaybePromise<Row[]>;
  first<Row>(statement: RegistryStatement<Row>, values?: object): MaybePromise<Row | undefined>;
}

/** The builder and the tables of statements, and the few parts in which the SQL of the engines differs. */
export interface Dialect {
  readonly builder: StatementBuilder;
  readonly tables: RegistryTables;
  /** When and from where a key was last used, and what joins the table with that to a query of keys. */
  readonly lastUse: {
    atMs: SQL<number | null>;
    ip: SQL<string | null>;
    joinTo<Query extends SQLiteSelect>(query: Query): Query;
  };
  readonly tenantOrder: SQL;
  /** A condition that begins with a column, for which the planner then uses no index. */
  withoutIndex(condition: SQL): SQL;
  /** Makes a query lock its rows until the end of the transaction, unless that excludes all others anyway. */
  lockRows<Query>(query: Query): Query;
  /** The highest number of an audit record ever assigned. */
  selectLastSeq(): Buildable<{ lastSeq: number }[]>;
  /** A query for the elements of a JSON array of texts. */
  elementsOf(array: SQLWrapper): SQL;
  /** Compares with a pattern, without regard to case; a backslash takes the meaning of what follows it. */
  isLike(column: SQLWrapper, pattern: string): SQL;
  /** Whether the target of an audit record has a part in small letters. */
  hasTarget(part: string): SQL;
}

export interface Writing extends Executor {
  readonly dialect: Dialect;
}

export interface Change extends Writing {
  append(audit: AuditDraft): MaybePromise<void>;
  /** Journals the stops of a change before the change itself. */
  stop(entries: readonly JournalEntry[]): MaybePromise<void>;
  /** Journals the starts of a change: on SQLite after its commit, if `stillHolds` finds a row. */
  start(
    entries: readonly JournalEntry[],
    ...stillHolds: Parameters<Executor['query']>
  ): MaybePromise<void>;
}

/** A `stop` also works on a full disk; a `sample` waits for no other process; daemons need not notice a `merge`. */
export type ChangeKind = 'change' | 'stop' | 'sample' | 'merge';

export interface Runner extends Writing {
  run<T>(work: () => StatementSteps<T>): MaybePromise<T>;
  /** Runs steps in one transaction, while no other process changes the registry. */
  change<T>(work: (change: Change) => StatementSteps<T>, kind?: ChangeKind): MaybePromise<T>;
}

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

type MarkDialect = Pick<Dialect, 'builder' | 'tables'>;

/** The value of the mark `name`. */
export function selectMark({ builder, tables }: MarkDialect) {
  const { marks } = tables;
  const { name } = placeholders('name');
  return statement(() => {
    const selectValue = builder.select({ value: marks.value }).from(marks);
    return selectValue.where(eq(marks.name, name));
  });
}

/** Sets the mark `name` to `value`. */
export function setMark({ builder, tables }: MarkDialect): RegistryStatement {
  const { marks } = tables;
  return statement(() =>
    builder
      .insert(marks)
      .values(placeholders('name', 'value'))
      .onConflictDoUpdate({ target: marks.name, set: { value: sql`excluded.value` } }),
  );
}
