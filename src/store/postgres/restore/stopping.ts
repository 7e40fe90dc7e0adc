import type { KeptStopped } from '../../../core/operations/backups.ts';
import { revokedSince, stopsSince } from '../../backup-file/stops.ts';
import { readJournal } from '../../journal-lines.ts';
import type { Session } from '../connection/session.ts';
import type { Present } from './present.ts';

/** Stops in the restored registry whatever was stopped since the backup. Throws `state_forbids` where nobody could act any more. */
export async function stopAgain(session: Session, { store, journal }: Present, nowMs: number): Promise<KeptStopped[]> {
  const since = { present: store, journal: readJournal(journal), nowMs };
  const backup = {
    tenants: await session.query<{ id: string; name: string }>('restore.tenants', 'select id, name from tenants'),
    users: await session.query<Users[number]>(
      'restore.users',
      'select id, tenant_id as "tenantId", login, status, role from users order by id',
    ),
    entities: await session.query<Entities[number]>(
      'restore.entities',
      'select id, tenant_id as "tenantId", code, status from entities order by id',
    ),
    keys: await session.query<Keys[number]>(
      'restore.keys',
      `select id, tenant_id as "tenantId", prefix, secret_hash as "secretHash" from keys
        where revoked_at_ms is null and id = any($1)`,
      [[...revokedSince(since).keys()]],
    ),
  };
  const kept = stopsSince(backup, since).map((stop) => stop.kept);
  for (const one of kept) await stop(session, one);
  return kept;
}

type Backup = Parameters<typeof stopsSince>[0];
type Users = Backup['users'];
type Entities = Backup['entities'];
type Keys = Backup['keys'];

async function stop(session: Session, { what, id, atMs, role }: KeptStopped): Promise<void> {
  if (what === 'revoked_key') {
    await session.query('stop.key', 'update keys set revoked_at_ms = $2 where id = $1', [id, atMs]);
  } else if (what === 'deactivated_user') {
    await session.query('stop.user', "update users set status = 'inactive' where id = $1", [id]);
  } else if (what === 'demoted_user') {
    await session.query('stop.role', 'update users set role = $2 where id = $1', [id, role]);
  } else if (what === 'deactivated_entity') {
    await session.query('stop.entity', "update entities set status = 'inactive' where id = $1", [id]);
  } else {
    await session.query('stop.removed', 'delete from entities where id = $1', [id]);
    await session.query('stop.purge', 'insert into purges (entity_id) values ($1) on conflict do nothing', [id]);
  }
}
