/** Readings in one page: an insertion in the middle moves the later ones. */
export const pageSize = 32;
/** The numbers of each reading in a page: instant, value, and its row's id times 4 plus its quality. */
export const columns = 3;
export const pageLength = columns * pageSize;

export interface BufferPage {
  at: number;
  count: number;
}

/** The memory of all pages: one array, since the allocation of many small ones costs more than everything else. */
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
