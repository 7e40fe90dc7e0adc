import type { TimedReading } from '../../../../core/readings/series-readings.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { BufferMemory } from './memory.ts';
import { type BufferRowReader, bodyOfRemovals, type Removal, readRow } from './rows.ts';

/** The write buffer on one connection, with its readings in memory. All changes of it go through the same object, inside a transaction. */
export class WriteBuffer {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #onForeignChange: () => void;
  /** The readings of the write buffer, as of the last `refresh`; some may be in chunks already. */
  memory = new BufferMemory();
  #otherChanges: number | undefined;
  #lastId = 0;
  #grownAtMs = 0;
  #trimmedId = 0;

  /** `onForeignChange` is called when another connection has changed the database. */
  constructor(connection: Connection, onForeignChange: () => void) {
    this.#statements = prepare(connection);
    this.#onForeignChange = onForeignChange;
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  /** The time since this connection has added or found a row. */
  get quietMs(): number {
    return performance.now() - this.#grownAtMs;
  }

  /** Reads what other connections have buffered and trimmed since the last call. */
  refresh(): void {
    const { otherChanges, first, after } = this.#statements;
    const changes = otherChanges.get();
    if (changes === this.#otherChanges) return;
    this.#onForeignChange();
    this.memory.forgetCompacted();
    const { id = 0, isEmpty = 0 } = first.get() ?? {};
    this.#trimmedId = isEmpty ? id : Math.max(id - 1, 0);
    this.memory.removeRows(this.#trimmedId);
    for (const row of after.iterate(this.#lastId)) {
      remember(this.memory, row.id, row.body);
      this.#grewTo(row.id);
    }
    this.#otherChanges = changes;
  }

  /** The last reading of each series, without taking all of them into memory; undefined if a last one was removed. */
  last(): ReadonlyMap<number, TimedReading> | undefined {
    const lastReadings = new Map<number, TimedReading>();
    let isKnown = true;
    const on: BufferRowReader = {
      reading(series, atUs, value) {
        const last = lastReadings.get(series);
        if (last === undefined) lastReadings.set(series, { atUs, value });
        else if (atUs > last.atUs) {
          last.atUs = atUs;
          last.value = value;
        }
      },
      removal({ series, fromUs, toUs }) {
        const { atUs = Number.NaN } = lastReadings.get(series) ?? {};
        if (atUs >= fromUs && atUs < toUs) isKnown = false;
      },
    };
    for (const { body } of this.#statements.after.iterate(0)) readRow(body, on);
    return isKnown ? lastReadings : undefined;
  }

  /** Forgets everything, because a transaction failed: the next `refresh` reads the write buffer anew. */
  discard(): void {
    this.memory = new BufferMemory();
    this.#otherChanges = undefined;
    this.#lastId = 0;
    this.#trimmedId = 0;
  }

  /** Appends a row with readings that are in memory already. */
  append(body: Uint8Array): void {
    this.#statements.append.run(this.nextId, body);
    this.#grewTo(this.nextId);
  }

  #grewTo(id: number): void {
    this.#lastId = id;
    this.#grownAtMs = performance.now();
  }

  /** Removes ranges here, and from the memory of every other connection when it reads this row. */
  remove(removals: readonly Removal[]): void {
    for (const { series, fromUs, toUs } of removals) this.memory.removeRange(series, fromUs, toUs);
    this.append(bodyOfRemovals(removals));
  }

  /** Forgets the rows all of whose readings are in chunks, if they are many: each time, other connections have to forget them, too. */
  trim(): void {
    const compactedId = (this.memory.first?.[1].firstId ?? this.nextId) - 1;
    const rows = compactedId - this.#trimmedId;
    if (rows <= 0 || rows * 4 < this.#lastId - this.#trimmedId) return;
    this.#statements.empty.run(compactedId);
    this.#statements.trim.run(compactedId);
    this.#trimmedId = compactedId;
  }
}

export function remember(memory: BufferMemory, id: number, body: Uint8Array): void {
  readRow(body, {
    reading(series, atUs, value, quality) {
      if (memory.forRow(series, id).add(atUs, value, quality, id)) memory.count++;
    },
    removal: ({ series, fromUs, toUs }) => memory.removeRange(series, fromUs, toUs),
  });
}

function prepare(connection: Connection) {
  return {
    otherChanges: connection.prepare<[], number>('pragma data_version').pluck(),
    first: connection.prepare<[], { id: number; isEmpty: number }>(
      'select id, length(body) = 0 as isEmpty from log order by id limit 1',
    ),
    after: connection.prepare<[number], { id: number; body: Buffer }>(
      'select id, body from log where id > ? order by id',
    ),
    append: connection.prepare<[number, Uint8Array]>('insert into log (id, body) values (?, ?)'),
    empty: connection.prepare<[number]>("update log set body = x'' where id = ?"),
    trim: connection.prepare<[number]>('delete from log where id < ?'),
  };
}
