import { eq, sql } from 'drizzle-orm/sql';
import type { AuditDraft } from '../../../core/port/audit.ts';
import { createAppend } from '../../shared/registry/audit.ts';
import type {
  Change,
  Dialect,
  Executor,
  RegistryStatement,
  Runner,
  StatementSteps,
} from '../../shared/registry/statements.ts';
import { linesOf } from '../../shared/revocation-journal.ts';
import { lockRows, postgresBuilder } from '../../tables/kits/postgres.ts';
import * as tables from '../../tables/postgres/registry.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { shownMs } from '../connection/shown-instants.ts';
import { advanceCounter } from '../daemons/change-counters.ts';

const { keys, keyUses, audit, auditHead } = tables;

/** The log-in of a daemon can write any number and any text; no address of a client has more than 64 characters. */
const lastUses = postgresBuilder
  .select({
    keyId: keyUses.keyId,
    atMs: sql<number | null>`${sql.raw(shownMs('last_used_at_ms'))}`.as('at_ms'),
    ip: sql<string | null>`left(${keyUses.lastUsedIp}, 64)`.as('ip'),
  })
  .from(keyUses)
  .as('last_uses');

export const dialect: Dialect = {
  builder: postgresBuilder,
  tables,
  lastUse: {
    atMs: sql`${lastUses.atMs}`,
    ip: sql`${lastUses.ip}`,
    // The selected fields keep their types: none of them is of the joined table alone.
    joinTo: (query) =>
      query.leftJoin(lastUses, eq(lastUses.keyId, keys.id)) as unknown as typeof query,
  },
  tenantOrder: sql`number`,
  withoutIndex: (condition) => condition,
  // Of the audit chain this locks the head, so that processes append one after the other.
  lockRows,
  selectLastSeq: () => postgresBuilder.select({ lastSeq: auditHead.lastSeq }).from(auditHead),
  elementsOf: (array) => sql`(select value from json_array_elements_text(${array}::json))`,
  isLike: (column, pattern) => sql`${column} ilike ${pattern}`,
  // Targets are kept as JSON, and the collation makes `lower` the same on every server.
  hasTarget: (textPart) => {
    const jsonPart = JSON.stringify(textPart).slice(1, -1);
    return sql`position(${jsonPart} in lower(${audit.target} collate "C")) > 0`;
  },
};

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
     * Serializes the changes of all processes: each begins by locking the change counter of keys, and every daemon notices its commit
     * before it answers its next request. The clock's sample, which every command takes, waits for no standby.
     */
    change: (work, kind) =>
      database.transaction(async (session) => {
        if (kind === 'sample') {
          await session.query(`${advanceCounter.keys} returning ${commitLocally}`);
        } else if (kind !== 'merge') {
          await session.query(advanceCounter.keys);
        }
        return runStatement(work(changeIn(session)));
      }),
  };
}

const commitLocally = "set_config('synchronous_commit', 'local', true)";

/** Runs compiled statements on a session, which prepares each at its first use. */
export function createExecutor(session: Pick<PostgresSession, 'queryArrays'>): Executor {
  const query = async <Row>(
    statement: RegistryStatement<Row>,
    values: object = {},
  ): Promise<Row[]> => {
    const { text, valuesOf, rowOf } = statement();
    const valueRows = await session.queryArrays(text, valuesOf(values));
    return valueRows.map(rowOf);
  };
  return {
    query,
    async first<Row>(statement: RegistryStatement<Row>, values?: object) {
      const [row] = await query(statement, values);
      return row;
    },
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
    // In the transaction of the change: both or neither.
    stop: (entries) => addToJournal(session, linesOf(entries)),
    start: (entries) => addToJournal(session, linesOf(entries)),
  };
}

export async function addToJournal(
  session: PostgresSession,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const addLines = `insert into journal (line)
    select line from unnest($1::text[]) with ordinality as l (line, n) order by n`;
  await session.query(addLines, [lines.map((line) => line.trimEnd())]);
}

export async function readJournalText(session: PostgresSession): Promise<string> {
  const journalRows = await session.query<{ line: string }>(
    'select line from journal order by number',
  );
  return journalRows.map(({ line }) => `${line}\n`).join('');
}

export async function runStatement<T>(steps: StatementSteps<T>): Promise<T> {
  let currentStep = steps.next();
  while (!currentStep.done) {
    currentStep = await Promise.resolve(currentStep.value).then(
      (result) => steps.next(result),
      (thrown) => steps.throw(thrown),
    );
  }
  return currentStep.value;
}
