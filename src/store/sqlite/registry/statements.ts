import { createKept } from '../../../core/kept.ts';
import type { AuditDraft } from '../../../core/port/audit.ts';
import { append } from '../../registry/audit.ts';
import { jsonColumns } from '../../registry/rows.ts';
import type { Dialect, Runner, Steps, Writing } from '../../registry/statements.ts';
import type { Statement } from '../../sqlite-database/driver.ts';
import { changeWithJournal } from './journal.ts';
import { named } from './named-values.ts';
import type { Registry } from './registry.ts';

const dialect: Dialect = {
  json: new Set(jsonColumns),
  uses: { name: 'keys', join: '' },
  tenantOrder: 'rowid',
  noIndex: '+',
  forUpdate: '',
  lastSeq: "select seq as given from sqlite_sequence where name = 'audit'",
  each: 'json_each($1)',
  like: (column, pattern) => `${column} like ${pattern} escape '\\'`,
  hasTarget: (part, place) => `instr(lower(target), ${place(part)}) > 0`,
};

type SqliteStatements = ReturnType<typeof statementsOf>;

/** A runner whose statements are done when they return. */
export interface SqliteRunner extends Omit<Runner, keyof SqliteStatements>, SqliteStatements {
  append(draft: AuditDraft): void;
}

/** `journal` is the file that names what was stopped. */
export function createRunner(registry: Registry, journal: string): SqliteRunner {
  const statements = statementsOf(registry);
  const writing: Writing = { ...statements, dialect };
  const appendNow = (draft: AuditDraft) => void run(append(writing, draft));
  return {
    ...statements,
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
                start(entries, () => statements.query(...stillHolds).length > 0),
            }),
          ),
      ),
  };
}

export function statementsOf({ connection, read }: Pick<Registry, 'connection' | 'read'>) {
  const prepared = createKept<Statement>();
  const statementOf = (text: string) => prepared(text, () => connection.prepare(text));
  return {
    query: <Row>(text: string, values: readonly unknown[] = []): Row[] =>
      read(() => {
        const statement = statementOf(text);
        if (statement.reader) return statement.all(named(values)) as Row[]; // the columns that the text names
        statement.run(named(values));
        return [];
      }),
    first: <Row>(text: string, values: readonly unknown[] = []): Row | undefined =>
      read(() => statementOf(text).get(named(values)) as Row | undefined), // the same
  };
}

export function run<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next(step.value)) if (step.done) return step.value;
}
