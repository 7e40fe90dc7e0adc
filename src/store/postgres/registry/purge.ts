import type { Database } from '../connection/database.ts';

/**
 * Deletes the records and readings of removed entities: of every table that has an entity's number. Continues a purge that a
 * crash interrupted, and leaves one that another process makes at the moment to that. Does nothing for a log-in without the
 * right, as that of a daemon.
 */
export async function purgeRemoved(database: Database): Promise<void> {
  const waiting = await database.query<{ id: string }>(waitingPurges);
  for (const { id } of waiting) {
    // A long delete blocks no other statement: no process writes rows of a removed entity, and each is locked by itself.
    await database.transaction(
      async (session) => {
        const mine = await session.query(
          'select from purges where entity_id = $1 for update skip locked',
          [id],
        );
        if (mine.length === 0) return;
        const [owner] = await session.query<{ number: number }>(
          'select number from record_entities where entity_id = $1 for update',
          [id],
        );
        if (owner) {
          const tables = await session.query<{ name: string }>(tablesOfEntities);
          for (const { name } of tables) {
            await session.query(`delete from "${name}" where entity = $1`, [owner.number]);
          }
          await session.query('delete from record_entities where number = $1', [owner.number]);
          await session.query("update generations set value = value + 1 where name = 'records'");
        }
        await session.query('delete from purges where entity_id = $1', [id]);
      },
      { idleMs: 0 },
    );
  }
}

const waitingPurges = `select entity_id as id from purges where has_table_privilege('purges', 'delete')`;

const tablesOfEntities = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace::oid and c.relkind in ('r', 'p') and a.attname = 'entity'
  and a.attnum > 0 and not a.attisdropped and not c.relispartition`;
