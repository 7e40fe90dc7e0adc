import type { AuditDraft } from '../../../core/port/audit.ts';
import { linesOf } from '../../shared/journal-lines.ts';
import { createAppend } from '../../shared/registry/audit.ts';
import type { RegistryStatement } from '../../shared/registry/compiled-statements.ts';
import type { Change, Executor, Runner, StatementSteps } from '../../shared/registry/statements.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { dialect } from './dialect.ts';

/** Columns of the audit trail that hold a text as JSON, since PostgreSQL's texts have no NUL character. */
export const jsonTexts: ReadonlySet<string> = new Set([
  'tenant_id',
  'actor_id',
  'actor_login',
  'os_account',
  'target',
]);

export function createRunner(database: Database): Runner {
  return {
    ...createExecutor(database),
    dialect,
    run: (work) => runStatement(work()),
    /**
     * One change at a time over all processes: each begins by locking the generation of keys, and its commit is what every daemon
     * notices before it answers its next request. The clock's sample, which every command takes, waits for no standby.
     */
    change: (work, kind) =>
      database.transaction(async (session) => {
        if (kind !== 'merge')
          await session.query(
            kind === 'sample' ? `${nextGeneration} returning ${commitHere}` : nextGeneration,
          );
        return runStatement(work(changeIn(session)));
      }),
  };
}

const nextGeneration = "update generations set value = value + 1 where name = 'keys'";
const commitHere = "set_config('synchronous_commit', 'local', true)";

/** Runs compiled statements on a session, which prepares each at its first use. */
export function createExecutor(session: Pick<PostgresSession, 'queryArrays'>): Executor {
  const query = async <Row>(
    statement: RegistryStatement<Row>,
    values: object = {},
  ): Promise<Row[]> => {
    const { text, valuesOf, rowOf } = statement();
    const rows = await session.queryArrays(text, valuesOf(values));
    return rows.map(rowOf);
  };
  return {
    query,
    first: async <Row>(statement: RegistryStatement<Row>, values?: object) =>
      (await query(statement, values))[0],
  };
}

const append = createAppend(dialect);

const setAuditHead = `insert into audit_head (one, last_seq) values (true, $1)
  on conflict (one) do update set last_seq = excluded.last_seq`;

/** Appends an event to the audit chain, inside the transaction of a session. */
export async function appendAudit(session: PostgresSession, draft: AuditDraft): Promise<void> {
  const { seq, hash } = await runStatement(append(createExecutor(session), draft));
  await session.query(setAuditHead, [seq]);
  session.audit = { seq, hash };
}

function changeIn(session: PostgresSession): Change {
  return {
    ...createExecutor(session),
    dialect,
    append: (draft) => appendAudit(session, draft),
    // Rows say themselves what is stopped; a restore of an older backup finds no row of what was removed.
    stop: (entries) =>
      addToJournal(session, linesOf(entries.filter(({ event }) => event === 'removed'))),
    start() {},
  };
}

export async function addToJournal(
  session: PostgresSession,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const add =
    'insert into journal (line) select line from unnest($1::text[]) with ordinality as l (line, n) order by n';
  await session.query(add, [lines.map((line) => line.trimEnd())]);
}

export async function readJournalText(session: PostgresSession): Promise<string> {
  const rows = await session.query<{ line: string }>('select line from journal order by number');
  return rows.map(({ line }) => `${line}\n`).join('');
}

export async function runStatement<T>(steps: StatementSteps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    step = await Promise.resolve(step.value).then(
      (result) => steps.next(result),
      (thrown) => steps.throw(thrown),
    );
  }
  return step.value;
}
