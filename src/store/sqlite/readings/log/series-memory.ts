import { type Columns, createColumns } from '../../../../core/readings/columns.ts';
import { columns, type LogPage, type PageMemory, pageLength, pageSize } from './pages.ts';

/** A reading whose quality does not matter. */
export interface TimedReading {
  atUs: number;
  value: number;
}

/** The readings of one series that are in the log: pages in order of time, each with readings in order of time. */
export class SeriesMemory {
  /** The series that it is of; -1 without readings. */
  series = -1;
  /** The one that was added to after it last time: gateways send their sensors in the same order all the time. */
  next: SeriesMemory | undefined;
  /** No reading is of an earlier row of the log. */
  firstId = 0;
  /** The instant of the last reading; -Infinity without one. */
  lastUs = Number.NEGATIVE_INFINITY;
  /** The last instant of the series in chunks, for who needs it; undefined until it was read. */
  compactedUs: number | undefined;
  count = 0;
  readonly #memory: PageMemory;
  #pages: LogPage[] = [];

  constructor(memory: PageMemory) {
    this.#memory = memory;
  }

  /** The instant of the first reading; Infinity without one. */
  get firstUs(): number {
    const first = this.#pages[0];
    return first ? (this.#memory.rows[first.at] ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** The last reading; undefined without one. */
  get last(): TimedReading | undefined {
    return this.count === 0
      ? undefined
      : { atUs: this.lastUs, value: this.valueAt(this.lastUs) ?? 0 };
  }

  /** The value at an instant; undefined if there is none. */
  valueAt(atUs: number): number | undefined {
    if (atUs > this.lastUs) return undefined;
    const page = this.#pages[this.#pageOf(atUs)];
    if (!page) return undefined;
    const { rows } = this.#memory;
    const place = this.#placeIn(page, atUs);
    return place < page.at + columns * page.count && rows[place] === atUs
      ? rows[place + 1]
      : undefined;
  }

  /** Adds a reading; one at the same instant stays instead. Returns whether it was added. */
  add(atUs: number, value: number, quality: number, id: number): boolean {
    if (atUs > this.lastUs) this.#append(atUs, value, id * 4 + quality);
    else if (this.valueAt(atUs) !== undefined) return false;
    else this.#insert(atUs, value, id * 4 + quality);
    this.count++;
    return true;
  }

  #append(atUs: number, value: number, mark: number): void {
    let page = this.#pages[this.#pages.length - 1];
    if (!page || page.count === pageSize) {
      page = this.#memory.take();
      this.#pages.push(page);
    }
    this.#put(page.at + columns * page.count++, atUs, value, mark);
    this.lastUs = atUs;
  }

  #insert(atUs: number, value: number, mark: number): void {
    const number = this.#pageOf(atUs);
    const page = this.#pages[number];
    if (!page) throw new Error('a reading comes before another one, but there is none');
    if (page.count === pageSize) {
      const later = this.#memory.take();
      const { rows } = this.#memory;
      later.count = pageSize / 2;
      page.count = pageSize / 2;
      rows.copyWithin(later.at, page.at + pageLength / 2, page.at + pageLength);
      this.#pages.splice(number + 1, 0, later);
      this.#insert(atUs, value, mark);
      return;
    }
    const place = this.#placeIn(page, atUs);
    this.#memory.rows.copyWithin(place + columns, place, page.at + columns * page.count++);
    this.#put(place, atUs, value, mark);
  }

  #put(place: number, atUs: number, value: number, mark: number): void {
    const { rows } = this.#memory;
    rows[place] = atUs;
    rows[place + 1] = value;
    rows[place + 2] = mark;
  }

  /** The readings from one instant (inclusive) up to another (exclusive), at most a number of them, in columns that are large enough. */
  range(
    fromUs: number,
    toUs: number,
    limit = Number.POSITIVE_INFINITY,
    result = createColumns(Math.min(this.count, limit)),
  ): Columns {
    result.count = 0;
    if (fromUs > this.lastUs) return result;
    const { rows } = this.#memory;
    for (let number = this.#pageOf(fromUs); number < this.#pages.length; number++) {
      const page = this.#pages[number] as LogPage; // below the length
      const pageEnd = page.at + columns * page.count;
      for (let place = this.#placeIn(page, fromUs); place < pageEnd; place += columns) {
        const atUs = rows[place] ?? 0;
        if (atUs >= toUs || result.count === limit) return result;
        result.atUs[result.count] = atUs;
        result.values[result.count] = rows[place + 1] ?? 0;
        result.qualities[result.count++] = (rows[place + 2] ?? 0) % 4;
      }
    }
    return result;
  }

  /** The newest instants from one (inclusive) up to another (exclusive), at most a number of them, in order of time. */
  instantsBefore(fromUs: number, toUs: number, limit: number): Float64Array {
    const instants = new Float64Array(Math.min(this.count, limit));
    let free = instants.length;
    const { rows } = this.#memory;
    for (let number = this.#pageOf(toUs); number >= 0 && free > 0; number--) {
      const page = this.#pages[number];
      if (!page) break;
      for (let place = this.#placeIn(page, toUs) - columns; place >= page.at; place -= columns) {
        const atUs = rows[place] ?? 0;
        if (atUs < fromUs || free === 0) return instants.slice(free);
        instants[--free] = atUs;
      }
    }
    return instants.slice(free);
  }

  /** Removes the readings from one instant (inclusive) up to another (exclusive). */
  removeRange(fromUs: number, toUs: number): void {
    if (fromUs > this.lastUs || toUs <= this.firstUs) return;
    this.#keep((atUs) => atUs < fromUs || atUs >= toUs);
  }

  /** Removes the readings of the log's rows up to one. */
  removeRows(lastId: number): void {
    this.#keep((_, mark) => mark >= (lastId + 1) * 4);
    this.firstId = Math.max(this.firstId, lastId + 1);
  }

  /** Gives the memory of all readings back, and is as new. */
  clear(): void {
    for (const page of this.#pages) this.#memory.giveBack(page);
    this.#pages.length = 0;
    this.series = -1;
    this.count = 0;
    this.lastUs = Number.NEGATIVE_INFINITY;
    this.compactedUs = undefined;
  }

  #keep(isKept: (atUs: number, mark: number) => boolean): void {
    const { rows } = this.#memory;
    this.count = 0;
    this.lastUs = Number.NEGATIVE_INFINITY;
    for (const page of this.#pages) {
      let target = page.at;
      for (let place = page.at; place < page.at + columns * page.count; place += columns) {
        const atUs = rows[place] ?? 0;
        if (!isKept(atUs, rows[place + 2] ?? 0)) continue;
        this.lastUs = atUs;
        rows[target++] = atUs;
        rows[target++] = rows[place + 1] ?? 0;
        rows[target++] = rows[place + 2] ?? 0;
      }
      page.count = (target - page.at) / columns;
      this.count += page.count;
      if (page.count === 0) this.#memory.giveBack(page);
    }
    this.#pages = this.#pages.filter((page) => page.count > 0);
  }

  /** The last page that begins at or before an instant; the first one if none does. */
  #pageOf(atUs: number): number {
    const { rows } = this.#memory;
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((rows[this.#pages[middle]?.at ?? 0] ?? 0) <= atUs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The place of the first reading of a page at or after an instant. */
  #placeIn({ at, count }: LogPage, atUs: number): number {
    const { rows } = this.#memory;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[at + columns * middle] ?? 0) < atUs) low = middle + 1;
      else high = middle;
    }
    return at + columns * low;
  }
}
