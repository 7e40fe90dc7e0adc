/** Readings in one page: an insertion in the middle moves what comes after it. */
export const pageSize = 32;
/** The numbers of each reading in a page: instant, value, and its log row's id times 4 plus its quality. */
export const columns = 3;
export const pageLength = columns * pageSize;

export interface LogPage {
  at: number;
  count: number;
}

/** The memory of all pages: one array, since the allocation of many small ones costs more than all the rest. */
export class PageMemory {
  rows = new Float64Array(64 * pageLength);
  readonly #free: LogPage[] = [];
  #end = 0;

  take(): LogPage {
    const free = this.#free.pop();
    if (free) return free;
    const at = this.#end;
    this.#end += pageLength;
    if (this.#end > this.rows.length) {
      const larger = new Float64Array(2 * this.rows.length);
      larger.set(this.rows);
      this.rows = larger;
    }
    return { at, count: 0 };
  }

  giveBack(page: LogPage): void {
    page.count = 0;
    this.#free.push(page);
  }
}
