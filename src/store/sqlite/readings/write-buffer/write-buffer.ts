import type { BackwardRequest } from '../../../../core/readings/reads/newest.ts';
import {
  rangeOfSlice,
  type SliceRequest,
  wantsIncrease,
} from '../../../../core/readings/reads/slices.ts';
import {
  createReadings,
  partBetween,
  partOf,
  type SeriesReadings,
  type TimedReading,
} from '../../../../core/readings/series-readings.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { type BufferRowReader, bodyOfRemovals, type Removal, readRow } from './rows.ts';
import { PageMemory, SeriesMemory } from './series-memory.ts';

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

export class BufferMemory {
  /** In the order of `firstId`: to compact the first one soonest is to trim the write buffer soonest. */
  readonly #series = new Map<number, SeriesMemory>();
  readonly #pages = new PageMemory();
  /** Objects of series without readings, to be used again (decision 34). */
  readonly #spares: SeriesMemory[] = [];
  /** How many readings there are. */
  count = 0;

  /** The series whose reading is the oldest of the write buffer. */
  get first(): readonly [series: number, memory: SeriesMemory] | undefined {
    return this.#series.entries().next().value;
  }

  get(series: number): SeriesMemory | undefined {
    return this.#series.get(series);
  }

  /** The readings of a series, of which some are about to be added for a row of the write buffer, `after` some of another. */
  forRow(series: number, id: number, after?: SeriesMemory): SeriesMemory {
    if (after?.next?.series === series) return after.next;
    const seriesMemory = this.#series.get(series) ?? this.#begin(series, id);
    if (after) after.next = seriesMemory;
    return seriesMemory;
  }

  #begin(series: number, id: number): SeriesMemory {
    const seriesMemory = this.#spares.pop() ?? new SeriesMemory(this.#pages);
    seriesMemory.series = series;
    seriesMemory.firstId = id;
    this.#series.set(series, seriesMemory);
    return seriesMemory;
  }

  /** Another connection may have compacted readings. */
  forgetCompacted(): void {
    for (const memory of this.#series.values()) memory.compactedUs = undefined;
  }

  removeRange(series: number, fromUs: number, toUs: number): void {
    const memory = this.#series.get(series);
    if (!memory) return;
    if (fromUs > memory.firstUs || toUs <= memory.lastUs) {
      this.#shrink(series, memory, () => memory.removeRange(fromUs, toUs));
      return;
    }
    this.count -= memory.count;
    this.#end(series, memory);
  }

  /** Forgets the readings of the write buffer's rows up to one, which are in chunks. */
  removeRows(lastId: number): void {
    for (const [series, memory] of this.#series) {
      // The others begin later.
      if (memory.firstId > lastId) break;
      this.#shrink(series, memory, () => memory.removeRows(lastId));
    }
  }

  #shrink(series: number, memory: SeriesMemory, remove: () => void): void {
    const before = memory.count;
    remove();
    this.count -= before - memory.count;
    if (memory.count === 0) this.#end(series, memory);
  }

  #end(series: number, memory: SeriesMemory): void {
    this.#series.delete(series);
    memory.clear();
    this.#spares.push(memory);
  }
}

/** The part of the write buffer that a slice needs: the readings of its range, and the last one before. */
interface BufferedSlice {
  readings: SeriesReadings;
  before?: TimedReading | undefined;
}

/** The parts of the write buffer that the reader thread needs; in a daemon only the writer thread has it in memory. */
export const bufferedFor = {
  /** The readings of its range. If it reads its bucket anew, all before its range was dropped. */
  slice(memory: BufferMemory, request: SliceRequest): BufferedSlice {
    const { series, fromUs, toUs, limit } = rangeOfSlice(request);
    const seriesMemory = memory.get(series);
    if (!seriesMemory) return { readings: createReadings(0) };
    return {
      readings: seriesMemory.range(fromUs, toUs, limit),
      before: wantsIncrease(request) ? seriesMemory.lastBefore(fromUs) : undefined,
    };
  },
  /** The same of several series, up to the readings of one slice in total. */
  slices(memory: BufferMemory, requests: readonly SliceRequest[]): BufferedSlice[] {
    const bufferedSlices: BufferedSlice[] = [];
    let unreadCount = requests[0]?.most ?? 0;
    for (const request of requests) {
      if (unreadCount <= 0) break;

      const bufferedSlice = bufferedFor.slice(memory, request);
      bufferedSlices.push(bufferedSlice);
      unreadCount -= bufferedSlice.readings.count;
    }
    return bufferedSlices;
  },
  /** The newest instants of a step. */
  newest(memory: BufferMemory, request: BackwardRequest): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    const instants = memory.get(series)?.instantsBefore(fromUs, beforeUs, limit);
    return instants ?? new Float64Array(0);
  },
  /** The last reading of each series that has one. */
  states(
    memory: BufferMemory,
    seriesNumbers: readonly number[],
  ): ReadonlyMap<number, TimedReading> {
    const lastReadings = new Map<number, TimedReading>();
    for (const series of seriesNumbers) {
      const lastReading = memory.get(series)?.last;
      if (lastReading) lastReadings.set(series, lastReading);
    }
    return lastReadings;
  },
};

type BufferedFor = typeof bufferedFor;

export type Buffered = { [Kind in keyof BufferedFor]: ReturnType<BufferedFor[Kind]> };

/** The readings of one series that another thread has found in the write buffer. */
export function seriesOf(readings: SeriesReadings): Pick<SeriesMemory, 'range'> {
  return {
    range(fromUs, toUs, limit = Number.POSITIVE_INFINITY) {
      const part = partBetween(readings, fromUs, toUs);
      return partOf(part, 0, Math.min(part.count, limit));
    },
  };
}
