import type { Database } from '../connection/database.ts';

/** Numbers kept in memory; many more entities than a group has plants. */
const mostCached = 10_000;

export type EntityNumbers = ReturnType<typeof createEntityNumbers>;

/** The numbers of entities, which stand first in every key of their rows: short ones, since an id would be in every index. */
export function createEntityNumbers(database: Database) {
  const numbers = new Map<string, number>();
  let cachedServer = 0;

  /** The number of an entity; undefined if it has no records yet. An entity's number never changes. */
  const find = async (entityId: string): Promise<number | undefined> => {
    const { serverNumber } = database;
    // After a lost connection it may be another database, restored to an earlier time.
    if (cachedServer !== serverNumber || numbers.size >= mostCached) numbers.clear();
    cachedServer = serverNumber;
    const cachedNumber = numbers.get(entityId);
    if (cachedNumber !== undefined) return cachedNumber;
    const [entityRow] = await database.query<{ number: number }>(
      'select number from record_entities where entity_id = $1',
      [entityId],
    );
    if (entityRow && cachedServer === serverNumber) numbers.set(entityId, entityRow.number);
    return entityRow?.number;
  };

  /** The number of an entity, which gets one now if it has none. */
  const give = async (entityId: string): Promise<number> => {
    await database.query(
      'insert into record_entities (entity_id) values ($1) on conflict do nothing',
      [entityId],
    );
    const number = await find(entityId);
    if (number === undefined) throw new Error('the entity has no number');
    return number;
  };

  return { find, give };
}
