import {
  type Columns,
  createColumns,
  type Piece,
  partOf,
  placeOf,
} from '../../../core/readings/columns.ts';
import type { Connection } from '../driver.ts';
import { ChunkEncoder, decodeChunk } from './codec.ts';
import { type DaySizes, DaySums, usualDays } from './day-sums.ts';

export interface ChunkSizes extends DaySizes {
  /** At most: more take hardly fewer bytes, and a late one rewrites all of them. */
  full: number;
  /** A chunk of fewer takes in the next ones, instead of another small chunk after it. */
  small: number;
}

export interface ChunkOptions {
  sizes?: ChunkSizes | undefined;
  /** False for a backup: it has no sums of days, and one of an older version no table for them. */
  hasDaySums?: boolean;
}

export const usualSizes: ChunkSizes = { full: 1024, small: 128, ...usualDays };
/** Chunks that a long removal deletes in one step: some milliseconds. */
const chunksInStep = 200;

export interface ChunkRow {
  id: number;
  fromUs: number;
  toUs: number;
  count: number;
  body: Buffer;
}

/** The chunks on one connection. All changes of them on a connection go through the same object, inside a transaction. */
export class Chunks {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #encoder = new ChunkEncoder();
  /** The chunk of each series that was needed last: late readings of a series mostly follow each other. */
  readonly #decoded = new Map<number, Decoded>();
  readonly #sizes: ChunkSizes;
  /** Undefined for tables without them. */
  readonly days: DaySums | undefined;
  readonly #reused = createColumns(usualSizes.full);

  constructor(
    connection: Connection,
    { sizes = usualSizes, hasDaySums = true }: ChunkOptions = {},
  ) {
    this.#sizes = sizes;
    this.#statements = prepare(connection);
    this.days = hasDaySums ? new DaySums(connection, sizes) : undefined;
  }

  /** Must be called when another connection may have changed chunks, and when a transaction failed. */
  forget(): void {
    this.#decoded.clear();
    this.days?.forget();
  }

  firstUs(series: number): number | undefined {
    return this.#statements.firstUs.get(series);
  }

  /** The instant of the last reading of a series; -Infinity if it has no chunk. */
  lastUs(series: number): number {
    return this.#statements.lastUs.get(series) ?? Number.NEGATIVE_INFINITY;
  }

  last(series: number): { atUs: number; value: number } | undefined {
    const chunk = this.#statements.last.get(series);
    if (!chunk) return undefined;
    const { atUs, values, count } = decodeChunk(chunk.body, chunk.count, this.#reused);
    return { atUs: atUs[count - 1] ?? 0, value: values[count - 1] ?? 0 };
  }

  valueAt(series: number, atUs: number): number | undefined {
    let decoded = this.#decoded.get(series);
    if (!decoded || atUs < decoded.fromUs || atUs >= decoded.untilUs) {
      decoded = this.#decodedAt(series, atUs);
      if (this.#decoded.size >= mostDecoded) this.#decoded.clear();
      this.#decoded.set(series, decoded);
    }
    const { columns } = decoded;
    const place = placeOf(columns, atUs);
    return place < columns.count && columns.atUs[place] === atUs
      ? columns.values[place]
      : undefined;
  }

  #decodedAt(series: number, atUs: number): Decoded {
    const { before, after } = this.#statements;
    const chunk = before.get(series, atUs);
    const untilUs = after.get(series, atUs)?.fromUs ?? Number.POSITIVE_INFINITY;
    if (!chunk) return { fromUs: Number.NEGATIVE_INFINITY, untilUs, columns: createColumns(0) };
    return { fromUs: chunk.fromUs, untilUs, columns: decodeChunk(chunk.body, chunk.count) };
  }

  /** The readings of a range, one chunk after the other, each with the part of it that lies in the range: until the next is read. */
  *read(series: number, fromUs: number, toUs: number): Generator<Piece> {
    const reused = createColumns(this.#sizes.full);
    for (const { body, count } of this.#statements.inside.iterate(
      series,
      series,
      fromUs,
      fromUs,
      toUs,
    )) {
      const columns = decodeChunk(body, count, reused);
      const from = placeOf(columns, fromUs);
      const to = placeOf(columns, toUs);
      if (from < to) yield { columns, from, to };
    }
  }

  /** The newest instants from one (inclusive) up to another (exclusive), in order of time: at least `count`, if there are as many. */
  instantsBefore(series: number, fromUs: number, toUs: number, count: number): Float64Array {
    const parts: Float64Array[] = [];
    let foundCount = 0;
    for (const chunk of this.#statements.backward.iterate(series, toUs)) {
      if (foundCount >= count || chunk.toUs < fromUs) break;
      const columns = decodeChunk(chunk.body, chunk.count, this.#reused);
      const part = columns.atUs.slice(placeOf(columns, fromUs), placeOf(columns, toUs));
      parts.push(part);
      foundCount += part.length;
    }
    const instants = new Float64Array(foundCount);
    let partEnd = foundCount;
    for (const part of parts) {
      partEnd -= part.length;
      instants.set(part, partEnd);
    }
    return instants;
  }

  /** Adds readings in order of time, except where there is one already. `lastUs` is the instant of the last one in chunks. */
  add(series: number, added: Columns, lastUs = this.lastUs(series)): void {
    const { before, after } = this.#statements;
    this.#decoded.delete(series);
    this.days?.added(series, added, lastUs);
    const { small } = this.#sizes;
    if (added.count >= small && (added.atUs[0] ?? 0) > lastUs) {
      this.#write(series, added, { isLast: true });
      return;
    }
    for (let from = 0; from < added.count; ) {
      const firstUs = added.atUs[from] ?? 0;
      const chunk = before.get(series, firstUs);
      const next = after.get(series, firstUs);
      const to = next ? placeOf(added, next.fromUs) : added.count;
      if (chunk && (firstUs <= chunk.toUs || chunk.count < small)) {
        const merged = merge(decodeChunk(chunk.body, chunk.count, this.#reused), added, from, to);
        this.#write(series, merged, { id: chunk.id, isLast: next === undefined });
      } else if (next && next.count < small) {
        const merged = merge(decodeChunk(next.body, next.count, this.#reused), added, from, to);
        this.#write(series, merged, { id: next.id, isLast: false });
      } else {
        this.#write(series, partOf(added, from, to), { isLast: next === undefined });
      }
      from = to;
    }
  }

  /** Sums up about a number of readings of the days that wait for it; returns whether there may be more. */
  sumUpDays(readings: number): boolean {
    return this.days?.sumUp(this.#readChunks, readings) ?? false;
  }

  /** The same while others are compacted: of as many days as are added, and a few more. */
  keepUpDays(compacted: number): void {
    this.days?.keepUp(this.#readChunks, compacted);
  }

  readonly #readChunks = (series: number, fromUs: number, toUs: number) =>
    this.read(series, fromUs, toUs);

  /** Where the first step of a long removal should end; undefined if the range is so short that it needs no steps. */
  stepEnd(series: number, fromUs: number, toUs: number): number | undefined {
    return this.#statements.stepEnd.get(series, fromUs, toUs);
  }

  /** Removes the readings of a range, of which a long one should be removed in steps. */
  remove(series: number, fromUs: number, toUs: number): void {
    const { inside, removeOne } = this.#statements;
    this.#decoded.delete(series);
    for (const { id, count, body } of inside.all(series, series, fromUs, fromUs, toUs)) {
      const columns = decodeChunk(body, count);
      const from = placeOf(columns, fromUs);
      const to = placeOf(columns, toUs);
      if (from === to) continue;
      this.days?.changed(series, columns.atUs[0] ?? 0, columns.atUs[count - 1] ?? 0);
      for (const column of [columns.atUs, columns.values, columns.qualities])
        column.copyWithin(from, to);
      columns.count -= to - from;
      if (columns.count === 0) removeOne.run(id);
      else this.#write(series, columns, { id, isLast: false });
    }
  }

  /** Writes readings in place of a chunk, or as new ones. The last ones of a series fill their chunks, so that the next follow. */
  #write(series: number, columns: Columns, { id, isLast }: { id?: number; isLast: boolean }): void {
    const { count, atUs } = columns;
    const { full } = this.#sizes;
    this.days?.changed(series, atUs[0] ?? 0, atUs[count - 1] ?? 0);
    const size = isLast ? full : Math.ceil(count / Math.ceil(count / full));
    for (let from = 0; from < count; from += size) {
      const to = Math.min(from + size, count);
      const body = this.#encoder.encode(columns, from, to);
      const [firstUs = 0, lastUs = 0] = [atUs[from], atUs[to - 1]];
      if (from === 0 && id !== undefined)
        this.#statements.update.run(firstUs, lastUs, to - from, body, id);
      else this.#statements.insert.run(series, firstUs, lastUs, to - from, body);
    }
  }
}

/** The readings of a chunk and those to add, of which the ones from one place up to another are meant. */
export function merge(chunk: Columns, added: Columns, from: number, to: number): Columns {
  const merged = createColumns(chunk.count + to - from);
  const take = (columns: Columns, place: number) => {
    merged.atUs[merged.count] = columns.atUs[place] ?? 0;
    merged.values[merged.count] = columns.values[place] ?? 0;
    merged.qualities[merged.count++] = columns.qualities[place] ?? 0;
  };
  let taken = 0;
  for (let place = from; place < to; place++) {
    const atUs = added.atUs[place] ?? 0;
    while (taken < chunk.count && (chunk.atUs[taken] ?? 0) < atUs) take(chunk, taken++);
    if (taken === chunk.count || chunk.atUs[taken] !== atUs) take(added, place);
  }
  while (taken < chunk.count) take(chunk, taken++);
  return merged;
}

const row = 'id, from_us as fromUs, to_us as toUs, count, body';

function prepare(connection: Connection) {
  const number = <Given extends unknown[]>(sql: string) =>
    connection.prepare<Given, number>(sql).pluck();
  return {
    before: connection.prepare<[number, number], ChunkRow>(
      `select ${row} from chunks where series = ? and from_us <= ? order by from_us desc limit 1`,
    ),
    after: connection.prepare<[number, number], ChunkRow>(
      `select ${row} from chunks where series = ? and from_us > ? order by from_us limit 1`,
    ),
    inside: connection.prepare<
      [number, number, number, number, number],
      Pick<ChunkRow, 'id' | 'count' | 'body'>
    >(
      `select id, count, body from chunks where series = ? and from_us >= coalesce(
         (select from_us from chunks where series = ? and from_us <= ? order by from_us desc limit 1), ?)
       and from_us < ? order by from_us`,
    ),
    backward: connection.prepare<[number, number], Pick<ChunkRow, 'toUs' | 'count' | 'body'>>(
      `select to_us as toUs, count, body from chunks where series = ? and from_us < ? order by from_us desc`,
    ),
    firstUs: number<[number]>(
      'select from_us from chunks where series = ? order by from_us limit 1',
    ),
    last: connection.prepare<[number], Pick<ChunkRow, 'count' | 'body'>>(
      'select count, body from chunks where series = ? order by from_us desc limit 1',
    ),
    lastUs: number<[number]>(
      'select to_us from chunks where series = ? order by from_us desc limit 1',
    ),
    stepEnd: number<[number, number, number]>(
      `select from_us from chunks where series = ? and from_us > ? and from_us < ?
       order by from_us limit 1 offset ${chunksInStep}`,
    ),
    removeOne: connection.prepare<[number]>('delete from chunks where id = ?'),
    insert: connection.prepare<[number, number, number, number, Uint8Array]>(
      'insert into chunks (series, from_us, to_us, count, body) values (?, ?, ?, ?, ?)',
    ),
    update: connection.prepare<[number, number, number, Uint8Array, number]>(
      'update chunks set from_us = ?, to_us = ?, count = ?, body = ? where id = ?',
    ),
  };
}

/** How many chunks are kept decoded: 20 MB. */
const mostDecoded = 1024;

/** A decoded chunk, and up to where there is no other one of its series. */
interface Decoded {
  fromUs: number;
  untilUs: number;
  columns: Columns;
}
