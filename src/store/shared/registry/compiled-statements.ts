import { fillPlaceholders, type Placeholder, sql } from 'drizzle-orm/sql';
import { mapResultRow, orderSelectedFields } from 'drizzle-orm/utils';
import { lazy } from '../../../core/memoize.ts';

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
export interface Buildable<Result = unknown> {
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
