import { type Columns, createColumns } from '../../../../core/readings/reads/columns.ts';

/** Readings in one page: an insertion in the middle moves what comes after it. */
const pageSize = 512;
/** The numbers of each reading in a page: instant, value, and its log row's id times 4 plus its quality. */
const columns = 3;

interface Page {
  rows: Float64Array;
  count: number;
}

/** The readings of one series that are in the log: pages in order of time, each with readings in order of time. */
export class SeriesMemory {
  /** No reading is of an earlier row of the log. */
  firstId: number;
  /** The instant of the last reading; -Infinity without one. */
  lastUs = Number.NEGATIVE_INFINITY;
  /** The last instant of the series in chunks, for who needs it; undefined until it was read. */
  settledUs: number | undefined;
  count = 0;
  #pages: Page[] = [];

  constructor(firstId: number) {
    this.firstId = firstId;
  }

  /** The instant of the first reading; Infinity without one. */
  get firstUs(): number {
    return this.#pages[0]?.rows[0] ?? Number.POSITIVE_INFINITY;
  }

  /** The value at an instant; undefined if there is none. */
  valueAt(atUs: number): number | undefined {
    if (atUs > this.lastUs) return undefined;
    const page = this.#pages[this.#pageOf(atUs)];
    if (!page) return undefined;
    const place = columns * placeIn(page, atUs);
    return place < columns * page.count && page.rows[place] === atUs ? page.rows[place + 1] : undefined;
  }

  /** Adds a reading; one at the same instant stays instead. Returns whether it was added. */
  add(atUs: number, value: number, quality: number, id: number): boolean {
    const isLast = atUs > this.lastUs;
    const number = isLast ? this.#pages.length - 1 : this.#pageOf(atUs);
    let page = this.#pages[number];
    if (!page || (isLast && page.count === pageSize)) {
      page = { rows: new Float64Array(columns * 8), count: 0 };
      this.#pages.push(page);
    }
    let place = isLast ? page.count : placeIn(page, atUs);
    if (!isLast && place < page.count && page.rows[columns * place] === atUs) return false;
    if (page.count === pageSize) {
      const half = pageSize / 2;
      const later = { rows: page.rows.slice(columns * half), count: half };
      page.count = half;
      this.#pages.splice(number + 1, 0, later);
      if (place > half) {
        place -= half;
        page = later;
      }
    }
    insert(page, place, [atUs, value, id * 4 + quality]);
    this.count++;
    if (isLast) this.lastUs = atUs;
    return true;
  }

  /** The readings from one instant (inclusive) up to another (exclusive), at most a number of them. */
  range(fromUs: number, toUs: number, most = Number.POSITIVE_INFINITY): Columns {
    const found = createColumns(Math.min(this.count, most));
    const isOutside = fromUs > this.lastUs || this.count === 0;
    for (let number = this.#pageOf(fromUs); !isOutside && number < this.#pages.length; number++) {
      const { rows, count } = this.#pages[number] as Page; // below the length
      for (let place = placeIn({ rows, count }, fromUs); place < count; place++) {
        const atUs = rows[columns * place] ?? 0;
        if (atUs >= toUs || found.count === most) return found;
        found.atUs[found.count] = atUs;
        found.values[found.count] = rows[columns * place + 1] ?? 0;
        found.qualities[found.count++] = (rows[columns * place + 2] ?? 0) % 4;
      }
    }
    return found;
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

  #keep(isKept: (atUs: number, mark: number) => boolean): void {
    let count = 0;
    for (const page of this.#pages) {
      const { rows } = page;
      let kept = 0;
      for (let i = 0; i < columns * page.count; i += columns) {
        if (!isKept(rows[i] ?? 0, rows[i + 2] ?? 0)) continue;
        rows[kept++] = rows[i] ?? 0;
        rows[kept++] = rows[i + 1] ?? 0;
        rows[kept++] = rows[i + 2] ?? 0;
      }
      page.count = kept / columns;
      count += page.count;
    }
    this.#pages = this.#pages.filter((page) => page.count > 0);
    this.count = count;
    const last = this.#pages.at(-1);
    this.lastUs = last?.rows[columns * (last.count - 1)] ?? Number.NEGATIVE_INFINITY;
  }

  /** The last page that begins at or before an instant; the first one if none does. */
  #pageOf(atUs: number): number {
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pages[middle]?.rows[0] ?? 0) <= atUs) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The place of the first reading at or after an instant. */
function placeIn({ rows, count }: Page, atUs: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[columns * middle] ?? 0) < atUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(page: Page, place: number, [atUs, value, mark]: readonly [number, number, number]): void {
  const end = columns * page.count++;
  if (end === page.rows.length) {
    const larger = new Float64Array(Math.min(2 * end, columns * pageSize));
    larger.set(page.rows);
    page.rows = larger;
  }
  const at = columns * place;
  const { rows } = page;
  if (at < end) rows.copyWithin(at + columns, at, end);
  rows[at] = atUs;
  rows[at + 1] = value;
  rows[at + 2] = mark;
}

/** The readings of the log in memory, by series. */
export class LogMemory {
  /** In the order of `firstId`: whoever settles the first one soonest can trim the log soonest. */
  readonly #series = new Map<number, SeriesMemory>();
  #count = 0;

  /** How many readings there are. */
  get count(): number {
    return this.#count;
  }

  /** The series whose reading is the oldest of the log. */
  get first(): readonly [series: number, memory: SeriesMemory] | undefined {
    return this.#series.entries().next().value;
  }

  get(series: number): SeriesMemory | undefined {
    return this.#series.get(series);
  }

  /** The readings of a series, of which some are about to be added for a row of the log. */
  forRow(series: number, id: number): SeriesMemory {
    const known = this.#series.get(series);
    if (known) return known;
    const created = new SeriesMemory(id);
    this.#series.set(series, created);
    return created;
  }

  /** Counts readings that were added to one of the series. */
  added(readings: number): void {
    this.#count += readings;
  }

  /** Another connection may have settled readings. */
  forgetSettled(): void {
    for (const memory of this.#series.values()) memory.settledUs = undefined;
  }

  removeRange(series: number, fromUs: number, toUs: number): void {
    const memory = this.#series.get(series);
    if (!memory) return;
    if (fromUs > memory.firstUs || toUs <= memory.lastUs) {
      this.#shrink(series, memory, () => memory.removeRange(fromUs, toUs));
      return;
    }
    this.#series.delete(series);
    this.#count -= memory.count;
  }

  /** Forgets the readings of the log's rows up to one, which are in chunks. */
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
    this.#count -= before - memory.count;
    if (memory.count === 0) this.#series.delete(series);
  }
}
