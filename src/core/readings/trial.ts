import {
  type BatchResult,
  type ReadingBatch,
  type ReadingStore,
  readingColumns,
} from '../port/readings.ts';

/** Counts what a store would do with batches, one after the other, and stores nothing. */
export class ReadingTrial {
  readonly #readings: Pick<ReadingStore, 'valuesAt'>;
  /** The values of earlier rows by series and instant, of which a later one is a duplicate or a conflict. */
  readonly #earlier = new Map<number, Map<number, number>>();

  constructor(readings: Pick<ReadingStore, 'valuesAt'>) {
    this.#readings = readings;
  }

  async append(batch: ReadingBatch): Promise<BatchResult> {
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
        ? this.#putOnce(series, atUs, value)
        : storedValue;

      if (earlierValue === undefined) continue;
      if (earlierValue === value) duplicates++;
      else conflicts.push(readingIndex);
    }
    const accepted = batch.count - duplicates - conflicts.length;
    return { accepted, duplicates, conflicts };
  }

  /** The value of an earlier row; undefined if this one is the first, which is then kept. */
  #putOnce(series: number, atUs: number, value: number): number | undefined {
    const values = this.#earlier.get(series) ?? new Map<number, number>();
    this.#earlier.set(series, values);

    const earlierValue = values.get(atUs);
    if (earlierValue === undefined) values.set(atUs, value);
    return earlierValue;
  }
}
