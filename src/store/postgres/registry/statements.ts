import type { AuditDraft } from '../../../core/port/audit.ts';
import { linesOf } from '../../engine/journal-lines.ts';
import { append } from '../../registry/audit.ts';
import { jsonColumns } from '../../registry/rows.ts';
import type { Change, Dialect, Runner, Statements, Steps } from '../../registry/statements.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { shownMs } from '../connection/shown-instants.ts';

/** Columns of the audit trail that hold a text as JSON, since PostgreSQL's texts have no NUL character. */
export const jsonTexts: ReadonlySet<string> = new Set([
  'tenant_id',
  'actor_id',
  'actor_login',
  'os_account',
  'target',
]);

/** The log-in of a daemon can write any number and any text; no address of a client has more than 64 characters. */
const usesOfDaemons = `select key_id, ${shownMs('last_used_at_ms')} as last_used_at_ms,
  left(last_used_ip, 64) as last_used_ip from key_uses`;

const dialect: Dialect = {
  json: new Set([...jsonColumns, ...[...jsonTexts].map((name) => `audit.${name}`)]),
  uses: {
    name: 'key_uses',
    join: `left join (${usesOfDaemons}) as key_uses on key_uses.key_id = keys.id`,
  },
  tenantOrder: 'number',
  noIndex: '',
  // Of the audit chain this locks the head, so that processes append one after the other.
  forUpdate: ' for update',
  lastSeq: 'select last_seq as given from audit_head',
  each: 'json_array_elements_text($1::json)',
  like: (column, pattern) => `${column} ilike ${pattern}`,
  // Targets are kept as JSON, and the collation makes `lower` the same on every server.
  hasTarget: (part, place) =>
    `position(${place(JSON.stringify(part).slice(1, -1))} in lower(target collate "C")) > 0`,
};

export function createRunner(database: Database): Runner {
  return {
    ...statementsOf(database),
    dialect,
    run: (work) => run(work()),
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
        return run(work(changeIn(session)));
      }),
  };
}

const nextGeneration = "update generations set value = value + 1 where name = 'keys'";
const commitHere = "set_config('synchronous_commit', 'local', true)";

/** Runs statements on a session. */
export function statementsOf(session: Pick<Session, 'query'>): Statements {
  return {
    query: (text, values) => session.query(text, values),
    first: <Row>(text: string, values?: readonly unknown[]) =>
      session.query<Row>(text, values).then(([row]) => row),
  };
}

/** Appends an event to the audit chain, inside the transaction of a session. */
export async function appendAudit(session: Session, draft: AuditDraft): Promise<void> {
  const { seq, hash } = await run(append({ ...statementsOf(session), dialect }, draft));
  const head =
    'insert into audit_head (one, last_seq) values (true, $1) on conflict (one) do update set last_seq = excluded.last_seq';
  await session.query(head, [seq]);
  session.audit = { seq, hash };
}

function changeIn(session: Session): Change {
  return {
    ...statementsOf(session),
    dialect,
    append: (draft) => appendAudit(session, draft),
    // Rows say themselves what is stopped; a restore of an older backup finds no row of what was removed.
    stop: (entries) =>
      addToJournal(session, linesOf(entries.filter(({ event }) => event === 'removed'))),
    start() {},
  };
}

export async function addToJournal(session: Session, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const add =
    'insert into journal (line) select line from unnest($1::text[]) with ordinality as l (line, n) order by n';
  await session.query(add, [lines.map((line) => line.trimEnd())]);
}

export async function readJournalText(session: Session): Promise<string> {
  const rows = await session.query<{ line: string }>('select line from journal order by number');
  return rows.map(({ line }) => `${line}\n`).join('');
}

export async function run<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    step = await Promise.resolve(step.value).then(
      (result) => steps.next(result),
      (thrown) => steps.throw(thrown),
    );
  }
  return step.value;
}
