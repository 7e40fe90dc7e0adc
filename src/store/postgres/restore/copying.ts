import { errnoOf } from '../../../core/errno.ts';
import type { HkctlError } from '../../../core/errors.ts';
import { copyRows } from '../connection/copy.ts';
import type { Session } from '../connection/session.ts';
import { decimalText } from '../records/decimal-text.ts';
import { escaped } from '../records/import-rows.ts';
import type { ColumnTypes } from '../schema/column-types.ts';

/** The rows that a table receives. */
export interface TableCopy {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

/** Characters that are sent at once. */
const chunkLength = 1 << 18;

/**
 * Copies rows into a table by COPY, inside the transaction of a session. Values come from a file of unknown origin, in which a column can hold anything: one that is
 * not of its column's type, or that PostgreSQL refuses, is the error of `damaged`. `copied` receives the number of rows.
 */
export async function copyInto(
  session: Session,
  types: ColumnTypes,
  { table, columns, rows }: TableCopy,
  { damaged, copied }: { damaged(what: string): HkctlError; copied(rows: number): void },
): Promise<void> {
  const ofTable = types.get(table);
  const writers = columns.map((column) => writerOf(ofTable?.get(column) ?? ''));
  const wrong = () => damaged(`a row of ${table} has a value that is not of its column`);
  const listed = columns.map((column) => `"${column}"`).join(', ');
  const texts = function* () {
    let text = '';
    let count = 0;
    for (const row of rows) {
      count++;
      for (let i = 0; i < writers.length; i++) {
        const value = row[i];
        const written = value === null || value === undefined ? '\\N' : writers[i]?.(value);
        if (written === undefined) throw wrong();
        text += i === 0 ? written : `\t${written}`;
      }
      text += '\n';
      if (text.length < chunkLength) continue;
      yield text;
      copied(count);
      text = '';
      count = 0;
    }
    if (text !== '') yield text;
    copied(count);
  };
  const statement = `copy "${table}" (${listed}) from stdin`;
  await copyRows(session, statement, texts(), (thrown) => (isOfRow(thrown) ? wrong() : session.translate(thrown)));
}

/** Returns undefined for a value that is not of the column's type. */
type WriteValue = (value: unknown) => string | undefined;

function writerOf(type: string): WriteValue {
  if (type === 'numeric') return (value) => (isFiniteNumber(value) ? decimalText(value) : undefined);
  if (type === 'double precision') return (value) => (isFiniteNumber(value) ? doubleText(value) : undefined);
  if (type === 'boolean') return (value) => (value === 1 ? 't' : value === 0 ? 'f' : undefined);
  if (type === 'text') return (value) => (typeof value === 'string' ? escaped(value) : undefined);
  return (value) => (Number.isSafeInteger(value) ? String(value) : undefined);
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** JavaScript writes a negative zero without its sign. */
function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Violations of a constraint and values out of range; not a character that PostgreSQL has no place for, which has its own message. */
function isOfRow(thrown: unknown): boolean {
  const code = errnoOf(thrown) ?? '';
  return /^2[23]...$/.test(code) && code !== '22021' && code !== '22P05';
}
