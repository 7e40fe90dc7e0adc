import type { KeptStopped } from '../../../core/operations/backups.ts';
import {
  type LiveKey,
  revokedSince,
  type Stoppable,
  stoppableSql,
  stopStatements,
  stopsSince,
} from '../../backup-file/stops.ts';
import { readJournal } from '../../journal-lines.ts';
import type { Session } from '../connection/session.ts';
import type { Present } from './present.ts';

/** Stops in the restored registry whatever was stopped since the backup. Throws `state_forbids` where nobody could act any more. */
export async function stopAgain(session: Session, { store, journal }: Present, nowMs: number): Promise<KeptStopped[]> {
  const since = { present: store, journal: readJournal(journal), nowMs };
  const backup = {
    tenants: await session.query<Stoppable['tenants'][number]>('restore.tenants', stoppableSql.tenants),
    users: await session.query<Stoppable['users'][number]>('restore.users', `${stoppableSql.users} order by id`),
    entities: await session.query<Stoppable['entities'][number]>(
      'restore.entities',
      `${stoppableSql.entities} order by id`,
    ),
    keys: await session.query<LiveKey>('restore.keys', `${stoppableSql.keys} = any($1)`, [
      [...revokedSince(since).keys()],
    ]),
  };
  const kept = stopsSince(backup, since);
  for (const one of kept) {
    for (const [index, [sql, values]] of stopStatements(one).entries()) {
      let parameters = 0;
      const text = sql.replaceAll('?', () => `$${++parameters}`);
      await session.query(`stop.${one.what}.${index}`, text, values);
    }
  }
  return kept;
}
