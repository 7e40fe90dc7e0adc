import type { Database } from '../connection/database.ts';
import type { Lane } from '../connection/pool.ts';

/** Numbers kept in memory; many more entities than a group has plants. */
const mostKept = 10_000;

/** The numbers of entities, which stand first in every key of their rows: short ones, since an id would be in every index. */
export class EntityNumbers {
  readonly #database: Database;
  readonly #lane: Lane;
  readonly #kept = new Map<string, number>();
  #epoch = 0;

  constructor(database: Database, lane: Lane) {
    this.#database = database;
    this.#lane = lane;
  }

  /** The number of an entity; undefined if it has no records yet. An entity's number never changes. */
  async find(entityId: string): Promise<number | undefined> {
    const { epoch } = this.#database;
    // After a lost connection it may be another database, restored to an earlier time.
    if (this.#epoch !== epoch || this.#kept.size >= mostKept) this.#kept.clear();
    this.#epoch = epoch;
    const kept = this.#kept.get(entityId);
    if (kept !== undefined) return kept;
    const [row] = await this.#lane.query<{ number: number }>(numberSql, [entityId]);
    if (row && this.#epoch === epoch) this.#kept.set(entityId, row.number);
    return row?.number;
  }

  /** The number of an entity, which gets one now if it has none. */
  async give(entityId: string): Promise<number> {
    const add = 'insert into record_entities (entity_id) values ($1) on conflict do nothing';
    await this.#lane.query(add, [entityId]);
    const number = await this.find(entityId);
    if (number === undefined) throw new Error('the entity has no number');
    return number;
  }
}

const numberSql = 'select number from record_entities where entity_id = $1';
