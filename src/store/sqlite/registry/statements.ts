import { createKept } from '../../../core/kept.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import { createAppend } from '../../registry/audit.ts';
import type { Statement } from '../../registry/compiled-statements.ts';
import type { Runner, Steps, Writing } from '../../registry/statements.ts';
import type { Statement as PreparedStatement } from '../../sqlite-database/driver.ts';
import { dialect } from './dialect.ts';
import { changeWithJournal } from './journal.ts';
import type { Registry } from './registry.ts';

type SqliteExecutor = ReturnType<typeof createExecutor>;

/** A runner whose statements are done when they return. */
export interface SqliteRunner extends Omit<Runner, keyof SqliteExecutor>, SqliteExecutor {
  append(draft: AuditDraft): void;
}

const append = createAppend(dialect);

/** `journal` is the file that names what was stopped. */
export function createRunner(registry: Registry, journal: string): SqliteRunner {
  const executor = createExecutor(registry);
  const writing: Writing = { ...executor, dialect };
  const appendNow = (draft: AuditDraft) => void run(append(writing, draft));
  return {
    ...executor,
    dialect,
    append: appendNow,
    run: (work) => run(work()),
    change: (work, kind = 'change') =>
      changeWithJournal(
        registry,
        { journal, kind: kind === 'merge' ? 'sample' : kind },
        ({ stop, start }) =>
          run(
            work({
              ...writing,
              append: appendNow,
              stop,
              start: (entries, ...stillHolds) =>
                start(entries, () => executor.query(...stillHolds).length > 0),
            }),
          ),
      ),
  };
}

type Readable = Pick<Registry, 'connection' | 'read'>;

/** Runs compiled statements on a connection, which prepares each at its first use. */
export function createExecutor({ connection, read }: Readable) {
  const prepared = createKept<PreparedStatement>();
  const prepare = (text: string) => {
    const statement = connection.prepare(text);
    return statement.reader ? statement.raw() : statement;
  };

  return {
    query: <Row>(statement: Statement<Row>, values: object = {}): Row[] =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const runnable = prepared(text, () => prepare(text));
        if (runnable.reader) return rawRows(runnable.all(valuesOf(values))).map(rowOf);
        runnable.run(valuesOf(values));
        return [];
      }),
    first: <Row>(statement: Statement<Row>, values: object = {}): Row | undefined =>
      read(() => {
        const { text, valuesOf, rowOf } = statement();
        const row = prepared(text, () => prepare(text)).get(valuesOf(values));
        return row === undefined ? undefined : rowOf(row as unknown[]); // a raw row
      }),
  };
}

function rawRows(rows: unknown[]): unknown[][] {
  return rows as unknown[][]; // what `raw()` makes of them
}

export function run<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next(step.value)) if (step.done) return step.value;
}
