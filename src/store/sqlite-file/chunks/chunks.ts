import {
  append,
  createReadings,
  indexAt,
  merge,
  partBetween,
  partOf,
  type SeriesReadings,
  type TimedReading,
} from '../../../core/readings/series-readings.ts';
import type { Connection } from '../driver.ts';
import { ChunkEncoder, decodeChunk } from './codec.ts';
import { type DaySizes, DaySumsTable, usualDays } from './day-sums.ts';

export interface ChunkSizes extends DaySizes {
  /** At most: more take hardly fewer bytes, and a late one rewrites all of them. */
  full: number;
  /** A chunk of fewer takes in the next ones, instead of another small chunk after it. */
  small: number;
}

export interface ChunkOptions {
  sizes?: ChunkSizes | undefined;
  /** False for a backup: one of an older version has no table for sums of days. */
  hasDaySums?: boolean;
}

export const usualSizes: ChunkSizes = { full: 1024, small: 128, ...usualDays };
/** Chunks that a long removal deletes in one step: some milliseconds. */
const chunksPerStep = 200;

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
  readonly #decodedChunks = new Map<number, DecodedChunk>();
  /** The readings of each series in its chunks after the last one that is at least half full. */
  readonly #shortCounts = new Map<number, number>();
  readonly #sizes: ChunkSizes;
  /** Undefined for tables without them. */
  readonly days: DaySumsTable | undefined;
  readonly #reusedMemory = createReadings(usualSizes.full);

  constructor(
    connection: Connection,
    { sizes = usualSizes, hasDaySums = true }: ChunkOptions = {},
  ) {
    this.#sizes = sizes;
    this.#statements = prepare(connection);
    this.days = hasDaySums ? new DaySumsTable(connection, sizes) : undefined;
  }

  /** Must be called when another connection may have changed chunks, and when a transaction failed. */
  forget(): void {
    this.#decodedChunks.clear();
    this.#shortCounts.clear();
    this.days?.forget();
  }

  firstUs(series: number): number | undefined {
    return this.#statements.firstUs.get(series);
  }

  /** The instant of the last reading of a series; -Infinity if it has no chunk. */
  lastUs(series: number): number {
    return this.#statements.lastUs.get(series) ?? Number.NEGATIVE_INFINITY;
  }

  last(series: number): TimedReading | undefined {
    return this.lastBefore(series, Number.POSITIVE_INFINITY);
  }

  valueAt(series: number, atUs: number): number | undefined {
    let decoded = this.#decodedChunks.get(series);
    if (!decoded || atUs < decoded.fromUs || atUs >= decoded.untilUs) {
      decoded = this.#decodedAt(series, atUs);
      if (this.#decodedChunks.size >= maxDecodedChunks) this.#decodedChunks.clear();
      this.#decodedChunks.set(series, decoded);
    }

    const { readings } = decoded;
    const readingIndex = indexAt(readings, atUs);
    const isThere = readingIndex < readings.count && readings.atUs[readingIndex] === atUs;
    return isThere ? readings.values[readingIndex] : undefined;
  }

  #decodedAt(series: number, atUs: number): DecodedChunk {
    const { chunkAt, chunkAfter } = this.#statements;
    const chunk = chunkAt.get(series, atUs);
    const untilUs = chunkAfter.get(series, atUs)?.fromUs ?? Number.POSITIVE_INFINITY;
    if (!chunk) return { fromUs: Number.NEGATIVE_INFINITY, untilUs, readings: createReadings(0) };

    const { fromUs, body, count } = chunk;
    return { fromUs, untilUs, readings: decodeChunk(body, count) };
  }

  /** The readings of a range, those of one chunk after the other, which hold until the next ones are read. */
  *read(series: number, fromUs: number, toUs: number): Generator<SeriesReadings> {
    const memory = createReadings(this.#sizes.full);
    const chunks = this.#statements.chunksInside.iterate(series, series, fromUs, fromUs, toUs);
    for (const { body, count } of chunks) {
      const part = partBetween(decodeChunk(body, count, memory), fromUs, toUs);
      if (part.count > 0) yield part;
    }
  }

  lastBefore(series: number, instantUs: number): TimedReading | undefined {
    const chunk = this.#statements.chunksBackward.get(series, instantUs);
    if (!chunk) return undefined;
    const readings = decodeChunk(chunk.body, chunk.count, this.#reusedMemory);
    const index = indexAt(readings, instantUs) - 1;
    return { atUs: readings.atUs[index] ?? 0, value: readings.values[index] ?? 0 };
  }

  /** The newest instants from one (inclusive) up to another (exclusive), in order of time: at least `count`, if there are as many. */
  instantsBefore(series: number, fromUs: number, toUs: number, count: number): Float64Array {
    const instantParts: Float64Array[] = [];
    let foundCount = 0;
    for (const chunk of this.#statements.chunksBackward.iterate(series, toUs)) {
      if (foundCount >= count || chunk.toUs < fromUs) break;

      const readings = decodeChunk(chunk.body, chunk.count, this.#reusedMemory);
      const instantPart = readings.atUs.slice(indexAt(readings, fromUs), indexAt(readings, toUs));
      instantParts.push(instantPart);
      foundCount += instantPart.length;
    }

    const instants = new Float64Array(foundCount);
    let partEnd = foundCount;
    for (const instantPart of instantParts) {
      partEnd -= instantPart.length;
      instants.set(instantPart, partEnd);
    }
    return instants;
  }

  /** Adds readings in order of time, except where there is one already. */
  add(
    series: number,
    added: SeriesReadings,
    { lastUs = this.lastUs(series), isUrgent = false }: AddOptions = {},
  ): void {
    this.#decodedChunks.delete(series);
    this.days?.added(series, added, lastUs);

    if ((added.atUs[0] ?? 0) > lastUs) this.#append(series, added, isUrgent);
    else this.#insert(series, added);
  }

  /** Adds later readings. They join the short chunks at the end, if all of them fill a whole one or there is time. */
  #append(series: number, added: SeriesReadings, isUrgent: boolean): void {
    const { full, small } = this.#sizes;
    const half = full / 2;
    const shortCount = this.#shortCounts.get(series) ?? this.#countShort(series);
    const isFull = shortCount + added.count >= full;
    const mayStayShort = isUrgent && !isFull;

    let joined = added;
    if (shortCount > 0 && !(mayStayShort && added.count >= small)) {
      joined = this.#joined(series, added, mayStayShort ? small : half);
    }
    this.#changed(series, added);
    this.#write(series, joined, { isLast: true, isUrgent });

    const lastCount = joined.count % full;
    const isNewEnd = joined.count >= half;
    const newEndCount = lastCount < half ? lastCount : 0;
    this.#shortCounts.set(series, isNewEnd ? newEndCount : shortCount + added.count);
  }

  /** The readings of the last chunks that are all shorter than `limit`, which it removes, and the added ones after them. */
  #joined(series: number, added: SeriesReadings, limit: number): SeriesReadings {
    const { bodyOf, removeChunk } = this.#statements;
    const shortChunks = this.#shortChunks(series, limit);
    const joined = createReadings(shortChunks.reduce((sum, { count }) => sum + count, added.count));
    for (const { id, count } of shortChunks) {
      const body = bodyOf.get(id) as Buffer; // read by the statement before
      decodeChunk(body, count, partOf(joined, joined.count, joined.count + count));
      joined.count += count;
      removeChunk.run(id);
    }

    append(joined, added);
    return joined;
  }

  /** The chunks after the last one that has at least `limit` readings, in order of time. */
  #shortChunks(series: number, limit: number): ShortChunk[] {
    const shortChunks: ShortChunk[] = [];
    for (const chunk of this.#statements.countsBackward.iterate(series)) {
      if (chunk.count >= limit) break;
      shortChunks.push(chunk);
    }
    return shortChunks.reverse();
  }

  #countShort(series: number): number {
    const shortChunks = this.#shortChunks(series, this.#sizes.full / 2);
    return shortChunks.reduce((sum, { count }) => sum + count, 0);
  }

  /** Adds readings of which some are not later than all others. */
  #insert(series: number, added: SeriesReadings): void {
    const { chunkAt, chunkAfter } = this.#statements;
    const { small } = this.#sizes;
    this.#shortCounts.delete(series);

    for (let addedFrom = 0; addedFrom < added.count; ) {
      const firstUs = added.atUs[addedFrom] ?? 0;
      const previousChunk = chunkAt.get(series, firstUs);
      const nextChunk = chunkAfter.get(series, firstUs);
      const isLast = nextChunk === undefined;
      const addedTo = nextChunk ? indexAt(added, nextChunk.fromUs) : added.count;
      const part = partOf(added, addedFrom, addedTo);
      this.#changed(series, part);

      const joinsPrevious =
        previousChunk && (firstUs <= previousChunk.toUs || previousChunk.count < small);
      const shortNext = nextChunk && nextChunk.count < small ? nextChunk : undefined;
      const chunk = joinsPrevious ? previousChunk : shortNext;
      const merged = chunk
        ? merge(decodeChunk(chunk.body, chunk.count, this.#reusedMemory), part)
        : part;
      this.#write(series, merged, { id: chunk?.id, isLast });
      addedFrom = addedTo;
    }
  }

  /** Takes the sums away of the days that readings belong to. */
  #changed(series: number, { atUs, count }: SeriesReadings): void {
    this.days?.changed(series, atUs[0] ?? 0, atUs[count - 1] ?? 0);
  }

  /** Sums up about a number of readings of the days that wait for it; returns whether there may be more. */
  sumUpDays(readingCount: number): boolean {
    return this.days?.sumUp(this.#readChunks, readingCount) ?? false;
  }

  /** The same while others are compacted: of as many days as are added, and a few more. */
  keepUpDays(compactedCount: number): void {
    this.days?.keepUp(this.#readChunks, compactedCount);
  }

  readonly #readChunks = (series: number, fromUs: number, toUs: number) =>
    this.read(series, fromUs, toUs);

  /** The end of the first step of a long removal; undefined if the range is so short that it needs no steps. */
  stepEnd(series: number, fromUs: number, toUs: number): number | undefined {
    return this.#statements.stepEnd.get(series, fromUs, toUs);
  }

  /** Removes the readings of a range. A long range should be removed in steps. */
  remove(series: number, fromUs: number, toUs: number): void {
    const { chunksInside, removeChunk } = this.#statements;
    this.#decodedChunks.delete(series);
    this.#shortCounts.delete(series);

    for (const { id, count, body } of chunksInside.all(series, series, fromUs, fromUs, toUs)) {
      const readings = decodeChunk(body, count);
      const removed = partBetween(readings, fromUs, toUs);
      if (removed.count === 0) continue;

      this.#changed(series, removed);
      const rest = createReadings(count);
      append(rest, partOf(readings, 0, indexAt(readings, fromUs)));
      append(rest, partOf(readings, indexAt(readings, toUs)));

      if (rest.count === 0) removeChunk.run(id);
      else this.#write(series, rest, { id, isLast: false });
    }
  }

  /** Writes readings in place of a chunk, or as new ones. The last ones of a series fill their chunks, so that the next follow. */
  #write(
    series: number,
    readings: SeriesReadings,
    { id, isLast, isUrgent = false }: WriteOptions,
  ): void {
    const { update, insert } = this.#statements;
    const { count, atUs } = readings;
    const { full } = this.#sizes;

    const evenSize = Math.ceil(count / Math.ceil(count / full));
    const chunkSize = isLast ? full : evenSize;
    for (let chunkFrom = 0; chunkFrom < count; chunkFrom += chunkSize) {
      const chunkTo = Math.min(chunkFrom + chunkSize, count);
      const chunkCount = chunkTo - chunkFrom;
      const isPlain = isUrgent && chunkCount < full / 2;
      const body = this.#encoder.encode(partOf(readings, chunkFrom, chunkTo), { isPlain });
      const firstUs = atUs[chunkFrom] ?? 0;
      const lastUs = atUs[chunkTo - 1] ?? 0;

      if (chunkFrom === 0 && id !== undefined) update.run(firstUs, lastUs, chunkCount, body, id);
      else insert.run(series, firstUs, lastUs, chunkCount, body);
    }
  }
}

interface WriteOptions {
  /** The chunk that is replaced. */
  id?: number | undefined;
  /** Whether the series has no later chunk. */
  isLast: boolean;
  isUrgent?: boolean;
}

export interface AddOptions {
  /** The instant of the last reading in chunks. */
  lastUs?: number | undefined;
  /** Whether a commit waits: short chunks are then neither joined nor compressed before they fill a whole one. */
  isUrgent?: boolean;
}

type ShortChunk = Pick<ChunkRow, 'id' | 'count'>;

const chunkFields = 'id, from_us as fromUs, to_us as toUs, count, body';

type EncodedReadings = Pick<ChunkRow, 'count' | 'body'>;

function prepare(connection: Connection) {
  const prepareNumber = <Parameters extends unknown[]>(sql: string) =>
    connection.prepare<Parameters, number>(sql).pluck();

  return {
    /** The last chunk that begins at or before an instant. */
    chunkAt: connection.prepare<[number, number], ChunkRow>(
      `select ${chunkFields}
       from chunks
       where series = ? and from_us <= ?
       order by from_us desc
       limit 1`,
    ),
    /** The first chunk that begins after an instant. */
    chunkAfter: connection.prepare<[number, number], ChunkRow>(
      `select ${chunkFields}
       from chunks
       where series = ? and from_us > ?
       order by from_us
       limit 1`,
    ),
    chunksInside: connection.prepare<
      [number, number, number, number, number],
      EncodedReadings & { id: number }
    >(
      `select id, count, body
       from chunks
       where series = ?
         and from_us >= coalesce(
           (select from_us from chunks where series = ? and from_us <= ? order by from_us desc limit 1),
           ?
         )
         and from_us < ?
       order by from_us`,
    ),
    chunksBackward: connection.prepare<[number, number], EncodedReadings & { toUs: number }>(
      `select to_us as toUs, count, body
       from chunks
       where series = ? and from_us < ?
       order by from_us desc`,
    ),
    countsBackward: connection.prepare<[number], ShortChunk>(
      'select id, count from chunks where series = ? order by from_us desc',
    ),
    bodyOf: connection.prepare<[number], Buffer>('select body from chunks where id = ?').pluck(),
    firstUs: prepareNumber<[number]>(
      'select from_us from chunks where series = ? order by from_us limit 1',
    ),
    lastUs: prepareNumber<[number]>(
      'select to_us from chunks where series = ? order by from_us desc limit 1',
    ),
    stepEnd: prepareNumber<[number, number, number]>(
      `select from_us
       from chunks
       where series = ? and from_us > ? and from_us < ?
       order by from_us
       limit 1 offset ${chunksPerStep}`,
    ),
    removeChunk: connection.prepare<[number]>('delete from chunks where id = ?'),
    insert: connection.prepare<[number, number, number, number, Uint8Array]>(
      'insert into chunks (series, from_us, to_us, count, body) values (?, ?, ?, ?, ?)',
    ),
    update: connection.prepare<[number, number, number, Uint8Array, number]>(
      'update chunks set from_us = ?, to_us = ?, count = ?, body = ? where id = ?',
    ),
  };
}

/** How many chunks are kept decoded: 20 MB. */
const maxDecodedChunks = 1024;

/** A decoded chunk, and up to where there is no other one of its series. */
interface DecodedChunk {
  fromUs: number;
  untilUs: number;
  readings: SeriesReadings;
}
