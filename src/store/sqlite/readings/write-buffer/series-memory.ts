import {
  createReadings,
  type SeriesReadings,
  type TimedReading,
} from '../../../../core/readings/series-readings.ts';

/** Readings in one page: an insertion in the middle moves the later ones. */
const pageSize = 32;
/** The numbers of each reading in a page: instant, value, and its row's id times 4 plus its quality. */
const numbersOfReading = 3;
const pageLength = numbersOfReading * pageSize;

interface BufferPage {
  at: number;
  count: number;
}

/** The memory of all pages of a write buffer: one array. */
export class PageMemory {
  rows = new Float64Array(64 * pageLength);
  readonly #freePages: BufferPage[] = [];
  #usedLength = 0;

  take(): BufferPage {
    const freePage = this.#freePages.pop();
    if (freePage) return freePage;

    const at = this.#usedLength;
    this.#usedLength += pageLength;
    if (this.#usedLength > this.rows.length) {
      const largerRows = new Float64Array(2 * this.rows.length);
      largerRows.set(this.rows);
      this.rows = largerRows;
    }
    return { at, count: 0 };
  }

  giveBack(page: BufferPage): void {
    page.count = 0;
    this.#freePages.push(page);
  }
}

/** The readings of one series that are in the write buffer: pages in order of time, each with readings in order of time. */
export class SeriesMemory {
  /** The series that it is of; -1 without readings. */
  series = -1;
  /** The series that followed this one last time: gateways always send their sensors in the same order. */
  next: SeriesMemory | undefined;
  /** No reading is of an earlier row of the write buffer. */
  firstId = 0;
  /** The instant of the last reading; -Infinity without one. */
  lastUs = Number.NEGATIVE_INFINITY;
  /** The last instant of the series in chunks; undefined until it was read. */
  compactedUs: number | undefined;
  count = 0;
  readonly #pageMemory: PageMemory;
  #pages: BufferPage[] = [];

  constructor(pageMemory: PageMemory) {
    this.#pageMemory = pageMemory;
  }

  /** The instant of the first reading; Infinity without one. */
  get firstUs(): number {
    const firstPage = this.#pages[0];
    return firstPage ? (this.#pageMemory.rows[firstPage.at] ?? 0) : Number.POSITIVE_INFINITY;
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
    const page = this.#pages[this.#pageIndexOf(atUs)];
    if (!page) return undefined;

    const { rows } = this.#pageMemory;
    const position = this.#positionIn(page, atUs);
    return position < page.at + numbersOfReading * page.count && rows[position] === atUs
      ? rows[position + 1]
      : undefined;
  }

  /** Adds a reading; one at the same instant stays instead. Returns whether it was added. */
  add(atUs: number, value: number, quality: number, rowId: number): boolean {
    if (atUs > this.lastUs) this.#append(atUs, value, rowId * 4 + quality);
    else if (this.valueAt(atUs) !== undefined) return false;
    else this.#insert(atUs, value, rowId * 4 + quality);
    this.count++;
    return true;
  }

  #append(atUs: number, value: number, idAndQuality: number): void {
    let page = this.#pages[this.#pages.length - 1];
    if (!page || page.count === pageSize) {
      page = this.#pageMemory.take();
      this.#pages.push(page);
    }
    this.#put(page.at + numbersOfReading * page.count++, atUs, value, idAndQuality);
    this.lastUs = atUs;
  }

  #insert(atUs: number, value: number, idAndQuality: number): void {
    const pageIndex = this.#pageIndexOf(atUs);
    const page = this.#pages[pageIndex];
    if (!page) throw new Error('a reading comes before another one, but there is none');
    if (page.count === pageSize) {
      const laterPage = this.#pageMemory.take();
      const { rows } = this.#pageMemory;
      laterPage.count = pageSize / 2;
      page.count = pageSize / 2;
      rows.copyWithin(laterPage.at, page.at + pageLength / 2, page.at + pageLength);
      this.#pages.splice(pageIndex + 1, 0, laterPage);
      this.#insert(atUs, value, idAndQuality);
      return;
    }

    const position = this.#positionIn(page, atUs);
    this.#pageMemory.rows.copyWithin(
      position + numbersOfReading,
      position,
      page.at + numbersOfReading * page.count++,
    );
    this.#put(position, atUs, value, idAndQuality);
  }

  #put(position: number, atUs: number, value: number, idAndQuality: number): void {
    const { rows } = this.#pageMemory;
    rows[position] = atUs;
    rows[position + 1] = value;
    rows[position + 2] = idAndQuality;
  }

  /** The readings from one instant (inclusive) up to another (exclusive), at most a number of them; the result's memory must be large enough. */
  range(
    fromUs: number,
    toUs: number,
    limit = Number.POSITIVE_INFINITY,
    result = createReadings(Math.min(this.#mostBetween(fromUs, toUs), limit)),
  ): SeriesReadings {
    result.count = 0;
    if (fromUs > this.lastUs) return result;

    const { rows } = this.#pageMemory;
    for (let pageIndex = this.#pageIndexOf(fromUs); pageIndex < this.#pages.length; pageIndex++) {
      const page = this.#pages[pageIndex] as BufferPage; // below the length
      const pageEnd = page.at + numbersOfReading * page.count;
      for (
        let position = this.#positionIn(page, fromUs);
        position < pageEnd;
        position += numbersOfReading
      ) {
        const atUs = rows[position] ?? 0;
        if (atUs >= toUs || result.count === limit) return result;
        result.atUs[result.count] = atUs;
        result.values[result.count] = rows[position + 1] ?? 0;
        result.qualities[result.count++] = (rows[position + 2] ?? 0) % 4;
      }
    }
    return result;
  }

  /** The newest instants from one (inclusive) up to another (exclusive), at most a number of them, in order of time. */
  instantsBefore(fromUs: number, toUs: number, limit: number): Float64Array {
    const instants = new Float64Array(Math.min(this.count, limit));
    let freeCount = instants.length;
    const { rows } = this.#pageMemory;
    for (let pageIndex = this.#pageIndexOf(toUs); pageIndex >= 0 && freeCount > 0; pageIndex--) {
      const page = this.#pages[pageIndex];
      if (!page) break;

      for (
        let position = this.#positionIn(page, toUs) - numbersOfReading;
        position >= page.at;
        position -= numbersOfReading
      ) {
        const atUs = rows[position] ?? 0;
        if (atUs < fromUs || freeCount === 0) return instants.slice(freeCount);
        instants[--freeCount] = atUs;
      }
    }
    return instants.slice(freeCount);
  }

  lastBefore(instantUs: number): TimedReading | undefined {
    const [atUs] = this.instantsBefore(Number.NEGATIVE_INFINITY, instantUs, 1);
    return atUs === undefined ? undefined : { atUs, value: this.valueAt(atUs) ?? 0 };
  }

  /** Removes the readings from one instant (inclusive) up to another (exclusive). */
  removeRange(fromUs: number, toUs: number): void {
    if (fromUs > this.lastUs || toUs <= this.firstUs) return;
    this.#filter((atUs) => atUs < fromUs || atUs >= toUs);
  }

  /** Removes the readings of the write buffer's rows up to one. */
  removeRows(lastId: number): void {
    this.#filter((_, idAndQuality) => idAndQuality >= (lastId + 1) * 4);
    this.firstId = Math.max(this.firstId, lastId + 1);
  }

  /** Gives the memory of all readings back, and is as new. */
  clear(): void {
    for (const page of this.#pages) this.#pageMemory.giveBack(page);
    this.#pages.length = 0;
    this.series = -1;
    this.count = 0;
    this.lastUs = Number.NEGATIVE_INFINITY;
    this.compactedUs = undefined;
  }

  #filter(isKept: (atUs: number, idAndQuality: number) => boolean): void {
    const { rows } = this.#pageMemory;
    this.count = 0;
    this.lastUs = Number.NEGATIVE_INFINITY;
    for (const page of this.#pages) {
      let targetPosition = page.at;
      for (
        let position = page.at;
        position < page.at + numbersOfReading * page.count;
        position += numbersOfReading
      ) {
        const atUs = rows[position] ?? 0;
        if (!isKept(atUs, rows[position + 2] ?? 0)) continue;
        this.lastUs = atUs;
        rows[targetPosition++] = atUs;
        rows[targetPosition++] = rows[position + 1] ?? 0;
        rows[targetPosition++] = rows[position + 2] ?? 0;
      }
      page.count = (targetPosition - page.at) / numbersOfReading;
      this.count += page.count;
      if (page.count === 0) this.#pageMemory.giveBack(page);
    }
    this.#pages = this.#pages.filter((page) => page.count > 0);
  }

  /** The last page that begins at or before an instant; the first one if none does. */
  #pageIndexOf(atUs: number): number {
    const { rows } = this.#pageMemory;
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((rows[this.#pages[middle]?.at ?? 0] ?? 0) <= atUs) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** No more readings are from one instant up to another; none if that comes before. */
  #mostBetween(fromUs: number, toUs: number): number {
    const pageCount = this.#pageIndexOf(toUs) - this.#pageIndexOf(fromUs) + 1;
    return pageSize * Math.max(pageCount, 0);
  }

  /** The place of the first reading of a page at or after an instant. */
  #positionIn({ at, count }: BufferPage, atUs: number): number {
    const { rows } = this.#pageMemory;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[at + numbersOfReading * middle] ?? 0) < atUs) low = middle + 1;
      else high = middle;
    }
    return at + numbersOfReading * low;
  }
}
