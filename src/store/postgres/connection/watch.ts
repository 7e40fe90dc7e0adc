import type { SessionServer } from './server-settings.ts';
import type { PostgresSession } from './session.ts';

/** Asks something on a connection that is made for it: those that are open may be lost, or wait themselves. */
export type Ask = <T>(question: (session: PostgresSession) => Promise<T>) => Promise<T>;

/**
 * Lets statements take as long as the server works on them. A connection without an answer for `suspectMs`, for which it does nothing,
 * is ended: a firewall may have dropped it, or a commit waits for a standby.
 */
export async function withoutLimit<T>(
  session: PostgresSession,
  work: (session: PostgresSession) => Promise<T>,
  { suspectMs, ask }: { suspectMs: number; ask: Ask },
): Promise<T> {
  const check = async () => {
    if (session.silentMs < suspectMs) return;
    const isWorking = await ask((other) => isWorkingFor(session.server, other)).catch(() => false);
    if (!isWorking && session.silentMs >= suspectMs) session.destroy('it does not answer');
  };
  const timer = setInterval(check, suspectMs).unref();
  session.isLimited = false;
  try {
    return await work(session);
  } finally {
    session.isLimited = true;
    clearInterval(timer);
  }
}

async function isWorkingFor(server: SessionServer, other: PostgresSession): Promise<boolean> {
  if (other.server.startedAt !== server.startedAt) return false;
  const workingRows = await other.query(
    `select from pg_stat_activity where pid = $1 and (state = 'disabled'
      or state = 'active' and wait_event_type is distinct from 'Client' and wait_event is distinct from 'SyncRep')`,
    [server.pid],
  );
  return workingRows.length > 0;
}
