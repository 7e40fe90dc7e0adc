import type { Database } from '../connection/database.ts';
import { advanceCounter } from '../daemons/change-counters.ts';

/**
 * Deletes the records and readings of removed entities: of every table that has an entity's number. Continues a purge that a
 * crash interrupted, and skips one that another process makes at the moment. Does nothing for a log-in without the right, as that
 * of a daemon.
 */
export async function purgeRemoved(database: Database): Promise<void> {
  const waiting = await database.query<{ id: string }>(waitingPurgesSql);
  for (const { id: entityId } of waiting) {
    // A long delete blocks no other statement: no process writes rows of a removed entity, and each is locked by itself.
    await database.transaction(
      async (session) => {
        const lockedRows = await session.query(
          'select from purges where entity_id = $1 for update skip locked',
          [entityId],
        );
        if (lockedRows.length === 0) return;

        const [numberRow] = await session.query<{ number: number }>(
          'select number from record_entities where entity_id = $1 for update',
          [entityId],
        );
        if (numberRow) {
          const entityTables = await session.query<{ name: string }>(entityTablesSql);
          for (const { name } of entityTables) {
            await session.query(`delete from "${name}" where entity = $1`, [numberRow.number]);
          }
          await session.query('delete from record_entities where number = $1', [numberRow.number]);
          await session.query(advanceCounter.records);
        }
        await session.query('delete from purges where entity_id = $1', [entityId]);
      },
      { idleMs: 0 },
    );
  }
}

const waitingPurgesSql = `select entity_id as id from purges where has_table_privilege('purges', 'delete')`;

const entityTablesSql = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace::oid and c.relkind in ('r', 'p') and a.attname = 'entity'
  and a.attnum > 0 and not a.attisdropped and not c.relispartition`;
