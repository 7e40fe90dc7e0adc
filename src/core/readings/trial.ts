import {
  type BatchResult,
  type ReadingBatch,
  type ReadingStore,
  readingColumns,
} from '../port/readings.ts';

/** Counts what a store would do with batches, one after the other, and stores nothing. */
export class ReadingTrial {
  readonly #readings: Pick<ReadingStore, 'valuesAt'>;
  /** The readings of earlier rows, of which a later one is a duplicate or a conflict. */
  readonly #earlier = new ValuesByInstant();
  #lastCount: Promise<unknown> = Promise.resolve();

  constructor(readings: Pick<ReadingStore, 'valuesAt'>) {
    this.#readings = readings;
  }

  append(batch: ReadingBatch): Promise<BatchResult> {
    const result = this.#lastCount.then(() => this.#count(batch));
    // The caller gets the error itself.
    this.#lastCount = result.catch(() => undefined);
    return result;
  }

  async #count(batch: ReadingBatch): Promise<BatchResult> {
    const storedValues = await this.#readings.valuesAt(batch);
    const conflicts: number[] = [];
    let duplicates = 0;

    for (let readingIndex = 0; readingIndex < batch.count; readingIndex++) {
      const [series = 0, atUs = 0, value = 0] = batch.rows.subarray(
        readingIndex * readingColumns,
        readingIndex * readingColumns + 3,
      );

      const storedValue = storedValues[readingIndex] ?? Number.NaN;
      const earlierValue = Number.isNaN(storedValue)
        ? this.#earlier.putOnce(series, atUs, value)
        : storedValue;

      if (earlierValue === undefined) continue;
      if (earlierValue === value) duplicates++;
      else conflicts.push(readingIndex);
    }
    const accepted = batch.count - duplicates - conflicts.length;
    return { accepted, duplicates, conflicts };
  }
}

const slotSize = 3;

/** Values by series and instant: a hash table in one array, since a map of millions of numbers takes four times the memory. */
class ValuesByInstant {
  /** Series, instant and value of each slot; an empty slot has no number as its value. */
  #slots = new Float64Array(slotSize * 4096).fill(Number.NaN);
  #count = 0;

  /** The value that is there; undefined if this one was put there now. */
  putOnce(series: number, atUs: number, value: number): number | undefined {
    if (2 * slotSize * this.#count >= this.#slots.length) {
      this.#grow();
    }

    const slotOffset = this.#slotOf(series, atUs);
    const slotValue = this.#slots[slotOffset + 2] ?? Number.NaN;
    if (!Number.isNaN(slotValue)) return slotValue;

    this.#slots.set([series, atUs, value], slotOffset);
    this.#count++;
    return undefined;
  }

  /** The slot with these, else the empty one for them. */
  #slotOf(series: number, atUs: number): number {
    const slotCount = this.#slots.length / slotSize;
    let slotIndex = hash(series, atUs) & (slotCount - 1);
    for (;;) {
      const slotOffset = slotIndex * slotSize;
      const isFree = Number.isNaN(this.#slots[slotOffset + 2]);
      if (isFree || (this.#slots[slotOffset] === series && this.#slots[slotOffset + 1] === atUs)) {
        return slotOffset;
      }

      slotIndex = (slotIndex + 1) & (slotCount - 1);
    }
  }

  #grow(): void {
    const previousSlots = this.#slots;
    this.#slots = new Float64Array(2 * previousSlots.length).fill(Number.NaN);
    for (let slotOffset = 0; slotOffset < previousSlots.length; slotOffset += slotSize) {
      const [series = 0, atUs = 0, value = Number.NaN] = previousSlots.subarray(
        slotOffset,
        slotOffset + slotSize,
      );
      if (!Number.isNaN(value)) {
        this.#slots.set([series, atUs, value], this.#slotOf(series, atUs));
      }
    }
  }
}

/** Spreads the keys of a table over its slots (the finalizer of MurmurHash3). */
function hash(series: number, atUs: number): number {
  let bits =
    Math.imul(series, 0x9e3779b1) ^ Math.trunc(atUs % 2 ** 32) ^ Math.trunc(atUs / 2 ** 32);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
