import { within } from '../../../core/readings/instants.ts';
import { type DaySums, type DroppedDay, dayOf } from '../../../core/readings/reads/day-sums.ts';
import { dayUs, QuarterSums } from '../../../core/readings/reads/quarters.ts';
import { indexAt, type SeriesReadings } from '../../../core/readings/series-readings.ts';
import type { Connection } from '../driver.ts';
import { DaySumsEncoder, decodeDaySums } from './day-sums-codec.ts';

export interface DaySizes {
  /** A day with fewer readings is read as fast without sums, which would take as much space as they do. */
  summedUp: number;
  /** A day to which one write adds fewer readings is not looked at again for them. */
  noticed: number;
}

export const usualDays: DaySizes = { summedUp: 3000, noticed: 32 };
/** The cost of writing the sums of a day, in readings that are summed up meanwhile. */
const costOfDay = 2000;
/** More than one, so that the days of a store that had none become fewer. */
const summedUpForCompacted = 4;
const leastAtOnce = 16_384;

/** Has the sums of each day made that chunks begin in; the migration that adds the table does the same. */
export const allDaysWait = `insert or ignore into day_sums (series, day_us)
  select distinct series, from_us - from_us % ${dayUs} from chunks`;

type ReadChunks = (series: number, fromUs: number, toUs: number) => Iterable<SeriesReadings>;

/** A day whose readings before an instant are summed up. */
interface BegunDay {
  series: number;
  dayUs: number;
  nextUs: number;
  sums: QuarterSums;
}

/**
 * The rows of the sums of days, made of chunks. Each change of a chunk takes the sums of its days away in the same transaction,
 * and leaves a row for each that waits. Sums that are there are therefore always right. Sums that retention has left stay.
 */
export class DaySumsTable {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #sizes: DaySizes;
  readonly #encoder = new DaySumsEncoder();
  #begun: BegunDay | undefined;
  /** Readings that are to be summed up for those that were compacted. */
  #owed = 0;

  constructor(connection: Connection, sizes: DaySizes) {
    this.#sizes = sizes;
    this.#statements = prepare(connection);
  }

  /** Must be called when another connection may have changed chunks, and when a transaction failed. */
  forget(): void {
    this.#begun = undefined;
  }

  /** Must be called for each chunk that changes, with its first and last instant before and after. */
  changed(series: number, firstUs: number, lastUs: number): void {
    const openDay = this.#begun;
    if (openDay?.series === series && firstUs < openDay.dayUs + dayUs && lastUs >= openDay.dayUs)
      this.#begun = undefined;
    this.#statements.empty.run(series, dayOf(firstUs), lastUs);
  }

  /** Notes the days that readings were added to and that are over, because the series has later ones. */
  added(series: number, added: SeriesReadings, lastUs: number): void {
    const newestDay = dayOf(Math.max(lastUs, added.atUs[added.count - 1] ?? lastUs));
    const endedDay = lastUs === Number.NEGATIVE_INFINITY ? newestDay : dayOf(lastUs);
    if (endedDay < newestDay) this.#statements.wait.run(series, endedDay);
    for (let from = 0; from < added.count; ) {
      const day = dayOf(added.atUs[from] ?? 0);
      if (day === newestDay) return;
      const to = indexAt(added, day + dayUs);
      if (to - from >= this.#sizes.noticed) this.#statements.wait.run(series, day);
      from = to;
    }
  }

  /** The days with sums that have a part in a range, in order of time. */
  *read(series: number, fromUs: number, toUs: number): Generator<DaySums> {
    for (const row of this.#statements.summed.iterate(series, dayOf(within(fromUs)), within(toUs)))
      yield decoded(row);
  }

  /** The sums that retention has left of the days with a part in a range, in order of time. */
  dropped(series: number, fromUs: number, toUs: number): DroppedDay[] {
    return this.#statements.dropped.all(series, dayOf(within(fromUs)), within(toUs)).map(decoded);
  }

  /** The same of the days that begin before an instant, the latest first. */
  *droppedBackward(series: number, beforeUs: number): Generator<DroppedDay> {
    for (const row of this.#statements.droppedBackward.iterate(series, within(beforeUs)))
      yield decoded(row);
  }

  putDropped(series: number, { dayUs: day, droppedUs, quarters }: DroppedDay): void {
    this.#statements.putDropped.run(series, day, droppedUs, this.#encoder.encode(day, quarters));
  }

  removeDropped(series: number, day: number): void {
    this.#statements.removeDropped.run(series, day);
  }

  /** Sums up about a number of readings of the days that wait; returns whether there may be more. */
  sumUp(read: ReadChunks, readings: number): boolean {
    for (let remaining = readings; remaining > 0; ) {
      const openDay = this.#begun ?? this.#nextDay();
      if (!openDay) return false;
      this.#begun = openDay;
      remaining -= costOfDay + this.#goOn(openDay, read, remaining);
    }
    return true;
  }

  /** Sums up a few readings for each one that was compacted, but not a chunk in each commit. */
  keepUp(read: ReadChunks, compacted: number): void {
    this.#owed += compacted * summedUpForCompacted;
    if (this.#owed < leastAtOnce) return;
    this.sumUp(read, this.#owed);
    this.#owed = 0;
  }

  /** Goes on with a day, for about a number of readings; returns how many it took. */
  #goOn(openDay: BegunDay, read: ReadChunks, readings: number): number {
    const before = openDay.sums.count;
    for (const part of read(openDay.series, openDay.nextUs, openDay.dayUs + dayUs)) {
      openDay.sums.add(part);
      openDay.nextUs = (part.atUs[part.count - 1] ?? 0) + 1;
      if (openDay.sums.count - before >= readings) return openDay.sums.count - before;
    }
    this.#put(openDay);
    this.#begun = undefined;
    return openDay.sums.count - before;
  }

  /** The next day that waits and may have enough readings, as the rows of its chunks say. */
  #nextDay(): BegunDay | undefined {
    const { waiting, countOfChunks, remove } = this.#statements;
    for (let next = waiting.get(); next; next = waiting.get()) {
      const { series, dayUs: day } = next;
      const count = countOfChunks.get(series, series, day, day, day + dayUs) ?? 0;
      if (count >= this.#sizes.summedUp) return { ...next, nextUs: day, sums: new QuarterSums() };
      remove.run(series, day);
    }
    return undefined;
  }

  #put({ series, dayUs: day, sums }: BegunDay): void {
    const { put, remove } = this.#statements;
    if (sums.count < this.#sizes.summedUp) remove.run(series, day);
    else put.run(this.#encoder.encode(day, sums.end()), series, day);
  }
}

interface Row<DroppedUs> {
  dayUs: number;
  droppedUs: DroppedUs;
  body: Buffer;
}

function decoded<DroppedUs>({ dayUs: day, droppedUs, body }: Row<DroppedUs>) {
  return { dayUs: day, droppedUs, quarters: decodeDaySums(day, body) };
}

function prepare(connection: Connection) {
  const fields = 'day_us as dayUs, dropped_us as droppedUs, body';
  const inRange = 'series = ? and day_us >= ? and day_us < ?';
  const ofThere = 'series = ? and day_us = ? and dropped_us is null';
  return {
    empty: connection.prepare<[number, number, number]>(
      `update day_sums set body = null
       where series = ? and day_us >= ? and day_us <= ? and body is not null and dropped_us is null`,
    ),
    wait: connection.prepare<[number, number]>(
      'insert or ignore into day_sums (series, day_us) values (?, ?)',
    ),
    waiting: connection.prepare<[], { series: number; dayUs: number }>(
      'select series, day_us as dayUs from day_sums where body is null limit 1',
    ),
    countOfChunks: connection
      .prepare<[number, number, number, number, number], number | null>(
        `select sum(count)
         from chunks
         where series = ?
           and from_us >= coalesce(
             (select from_us from chunks where series = ? and from_us <= ? order by from_us desc limit 1),
             ?
           )
           and from_us < ?`,
      )
      .pluck(),
    summed: connection.prepare<[number, number, number], Row<number | null>>(
      `select ${fields} from day_sums where ${inRange} and body is not null order by day_us`,
    ),
    dropped: connection.prepare<[number, number, number], Row<number>>(
      `select ${fields} from day_sums where ${inRange} and dropped_us is not null order by day_us`,
    ),
    droppedBackward: connection.prepare<[number, number], Row<number>>(
      `select ${fields} from day_sums
       where series = ? and day_us < ? and dropped_us is not null
       order by day_us desc`,
    ),
    put: connection.prepare<[Uint8Array, number, number]>(
      `update day_sums set body = ? where ${ofThere}`,
    ),
    remove: connection.prepare<[number, number]>(`delete from day_sums where ${ofThere}`),
    putDropped: connection.prepare<[number, number, number, Uint8Array]>(
      'insert or replace into day_sums (series, day_us, dropped_us, body) values (?, ?, ?, ?)',
    ),
    removeDropped: connection.prepare<[number, number]>(
      'delete from day_sums where series = ? and day_us = ? and dropped_us is not null',
    ),
  };
}
