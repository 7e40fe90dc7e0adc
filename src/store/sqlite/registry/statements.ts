import { type KeyEvent, keyLine, type Revocation, stateLine, withdrawnStateLine } from '../../engine/journal-lines.ts';
import type { Change, Runner, Statements, Steps } from '../../registry/statements.ts';
import type { Statement } from '../../sqlite-database/driver.ts';
import type { AppendAudit } from './audit.ts';
import { changeWithJournal } from './journal.ts';
import type { Registry } from './registry.ts';
import { entities, keys, tenants, users } from './tables.ts';

const tables = { tenants, users, entities, keys };

/** Runs the operations of the registry. `journal` is the file that names what was stopped. */
export function createRunner(registry: Registry, append: AppendAudit, journal: string): Runner {
  const statements = statementsOf(registry);
  const insert: Change['insert'] = (table, row) => registry.db.insert(tables[table]).values(row).run();
  return {
    ...statements,
    each: 'json_each($1)',
    run: (work) => run(work()),
    change: (work, kind = 'change') =>
      changeWithJournal(registry, { journal, kind }, ({ stop, start }) =>
        run(
          work({
            ...statements,
            insert,
            append,
            stop: (entries) => stop(entries.map(stateLine), entries.map(withdrawnStateLine)),
            revoke: (keys) => stop(linesOf('revoked', keys), linesOf('withdrawn', keys)),
            start: (entries, stillHold) => start(entries, () => run(stillHold())),
          }),
        ),
      ),
  };
}

/** Runs statements on a registry, each at once. */
export function statementsOf({ connection, read }: Pick<Registry, 'connection' | 'read'>): Statements {
  const prepared = new Map<string, Statement>();
  const query = <Row>(_: string, text: string, values: readonly unknown[] = []): Row[] =>
    read(() => {
      const statement = prepared.get(text) ?? connection.prepare(text);
      prepared.set(text, statement);
      // The names of `$1` and `$2` are their numbers.
      const named = Object.fromEntries(values.map((value, n) => [n + 1, value]));
      if (statement.reader) return statement.all(named) as Row[]; // the columns that the text names
      statement.run(named);
      return [];
    });
  return { query, first: <Row>(...given: Parameters<typeof query>) => query<Row>(...given)[0] };
}

function linesOf(event: KeyEvent, keys: readonly Revocation[]): string[] {
  return keys.map((key) => keyLine(event, key));
}

function run<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next(step.value)) if (step.done) return step.value;
}
