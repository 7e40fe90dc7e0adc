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
  #counted: Promise<unknown> = Promise.resolve();

  constructor(readings: Pick<ReadingStore, 'valuesAt'>) {
    this.#readings = readings;
  }

  append(batch: ReadingBatch): Promise<BatchResult> {
    const counted = this.#counted.then(() => this.#count(batch));
    // The caller gets the error itself.
    this.#counted = counted.catch(() => undefined);
    return counted;
  }

  async #count(batch: ReadingBatch): Promise<BatchResult> {
    const stored = await this.#readings.valuesAt(batch);
    const conflicts: number[] = [];
    let duplicates = 0;
    for (let place = 0; place < batch.count; place++) {
      const [series = 0, atUs = 0, value = 0] = batch.rows.subarray(
        place * readingColumns,
        place * readingColumns + 3,
      );
      const storedValue = stored[place] ?? Number.NaN;
      const first = Number.isNaN(storedValue)
        ? this.#earlier.putOnce(series, atUs, value)
        : storedValue;
      if (first === undefined) continue;
      if (first === value) duplicates++;
      else conflicts.push(place);
    }
    return { accepted: batch.count - duplicates - conflicts.length, duplicates, conflicts };
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
    if (2 * slotSize * this.#count >= this.#slots.length) this.#grow();
    const at = this.#slotOf(series, atUs);
    const slotValue = this.#slots[at + 2] ?? Number.NaN;
    if (!Number.isNaN(slotValue)) return slotValue;
    this.#slots.set([series, atUs, value], at);
    this.#count++;
    return undefined;
  }

  /** The slot with these, else the empty one for them. */
  #slotOf(series: number, atUs: number): number {
    const slots = this.#slots.length / slotSize;
    let place = hash(series, atUs) & (slots - 1);
    for (;;) {
      const at = place * slotSize;
      const isFree = Number.isNaN(this.#slots[at + 2]);
      if (isFree || (this.#slots[at] === series && this.#slots[at + 1] === atUs)) return at;
      place = (place + 1) & (slots - 1);
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length).fill(Number.NaN);
    for (let at = 0; at < before.length; at += slotSize) {
      const [series = 0, atUs = 0, value = Number.NaN] = before.subarray(at, at + slotSize);
      if (!Number.isNaN(value)) this.#slots.set([series, atUs, value], this.#slotOf(series, atUs));
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
