import { PageMemory, SeriesMemory } from './series-memory.ts';

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
