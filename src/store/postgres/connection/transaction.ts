import { setTimeout as pause } from 'node:timers/promises';
import { outcomeUnknown } from '../../shared/errors.ts';
import type { SessionServer } from './server-settings.ts';
import type { PostgresSession } from './session.ts';
import type { Ask } from './watch.ts';

interface TransactionOptions {
  /** See `Database`. */
  idleMs: number;
  /** For how long to ask whether a COMMIT without an answer was made; 0 = not at all, since the caller will try again. */
  doubtMs: number;
  ask: Ask;
}

/** How long the server keeps a transaction whose COMMIT does not arrive: nothing else is waited for by then. */
const mostIdleMs = 5000;

/**
 * Runs `work` in a transaction of a session. If the answer to its COMMIT never arrives, asks on another connection for the
 * outcome. Returns if it was committed, and throws the error of the lost connection if not. Throws `commit_unknown` if the
 * outcome cannot be found out in time.
 */
export async function runTransaction<T>(
  session: PostgresSession,
  work: (session: PostgresSession) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const { idleMs } = options;
  session.audit = undefined;
  const liftedLimits = idleMs === 0 ? `; ${liftTimeLimits(session.server)}` : '';
  try {
    await session.run(
      `begin; set local idle_in_transaction_session_timeout = ${idleMs}${liftedLimits}`,
    );
    const result = await work(session);
    await commit(session, options);
    return result;
  } catch (thrown) {
    if (session.isOpen) await session.run('rollback');
    throw thrown;
  }
}

async function commit(session: PostgresSession, options: TransactionOptions): Promise<void> {
  const [transactionRow] = await session.query<{ id: string | null }>(
    `select pg_current_xact_id_if_assigned()::text as id,
      set_config('idle_in_transaction_session_timeout', '${mostIdleMs}', true)`,
  );
  try {
    await session.run('commit');
  } catch (thrown) {
    // A refusal is an answer; and without a number nothing was written.
    if (session.isOpen || typeof transactionRow?.id !== 'string') throw thrown;

    const outcome = await outcomeOf(session, transactionRow.id, options);
    if (outcome === 'aborted') throw thrown;
    if (outcome !== 'committed')
      throw outcomeUnknown(
        `the PostgreSQL store ${session.location.shown} did not answer its commit`,
        thrown,
      );
  }
}

async function outcomeOf(
  lostSession: PostgresSession,
  transactionId: string,
  { ask, doubtMs }: TransactionOptions,
): Promise<string> {
  const endMs = performance.now() + doubtMs;
  for (; performance.now() < endMs; await pause(200)) {
    // If anything goes wrong now, the next connection may answer.
    const asking = ask((session) => statusOn(session, lostSession, transactionId));
    const status = await asking.catch(() => undefined);
    if (status === 'committed' || status === 'aborted') return status;
  }
  return 'unknown';
}

/**
 * The outcome as a server keeps it with the number of a transaction. Another server, or the same one after a crash, may give
 * the number again. Only the last record that the transaction adds to the audit chain then proves that it was committed.
 */
async function statusOn(
  session: PostgresSession,
  { server, audit }: PostgresSession,
  transactionId: string,
): Promise<string | null | undefined> {
  if (session.server.startedAt === server.startedAt) {
    const [statusRow] = await session.query<{ status: string | null }>(
      'select pg_xact_status($1::xid8) as status',
      [transactionId],
    );
    return statusRow?.status;
  }
  if (audit === undefined) return undefined;
  const auditRows = await session.query('select from audit where seq = $1 and hash = $2', [
    audit.seq,
    audit.hash,
  ]);
  return auditRows.length > 0 ? 'committed' : undefined;
}

/** Statements that lift the time limits of an administrator for the rest of a transaction: copying a plant takes minutes. */
function liftTimeLimits({ version }: SessionServer): string {
  const hasTransactionTimeout = version >= 170_000;
  return `set local statement_timeout = 0${hasTransactionTimeout ? '; set local transaction_timeout = 0' : ''}`;
}
