import type { BucketSpan, NewestRows, NewestWindow } from '../../port/readings.ts';
import { endOfTimeUs } from '../instants.ts';
import { indexAt } from '../series-readings.ts';
import { bucketTime } from './bucket-spans.ts';
import { isOfQuarters } from './quarters.ts';
import { boundedRange, type SliceRange } from './slices.ts';

/** The instants that an engine looks up in one step of a search backward in time. */
export interface BackwardRequest extends SliceRange {
  /** The instants are before this one, which is not behind the end of the range. */
  beforeUs: number;
  /** Whether dropped quarters take part. */
  isOfQuarters: boolean;
}

/**
 * Finds where the newest rows of a range begin, step by step from its end: readings or, with a span, buckets that hold any. Bounded
 * steps let other reads go first, and no readings of a bucket are looked through but its newest.
 */
export class BackwardSearch {
  readonly #request: NewestRows;
  readonly #range: SliceRange;
  readonly #span: BucketSpan | undefined;
  #rowCount = 0;
  /** Instants looked up for each row that is missing: a bucket may hold many. */
  #instantsPerRow = 1;
  #startUs = 0;
  #endUs: number | undefined;
  #beforeUs: number;
  /** Whether an older row than those was seen. */
  #hasMore = false;
  isDone = false;

  constructor(request: NewestRows) {
    this.#request = request;
    this.#range = boundedRange({ ...request, limit: 0 });
    this.#span = request.buckets;
    this.#beforeUs = this.#range.toUs;
  }

  /** The next look-up, of at most a number of instants. */
  nextStep(limit: number): BackwardRequest {
    const { buckets, rows } = this.#request;
    return {
      ...this.#range,
      limit: Math.min(limit, (rows - this.#rowCount + 1) * this.#instantsPerRow),
      beforeUs: this.#beforeUs,
      isOfQuarters: isOfQuarters({ buckets }),
    };
  }

  /** Takes the newest instants that the step asked for, in order of time; fewer than its limit if there are no older ones. */
  take(instants: Float64Array, { limit }: BackwardRequest): void {
    for (let instantIndex = instants.length - 1; instantIndex >= 0; ) {
      if (this.#rowCount === this.#request.rows) {
        this.#hasMore = true;
        break;
      }
      instantIndex = this.#takeRow(instants, instantIndex);
    }

    this.#beforeUs = Math.max(this.#startUs, this.#range.fromUs);
    if (this.#span) this.#instantsPerRow *= 4;
    this.isDone = this.#hasMore || instants.length < limit;
  }

  /** Takes the row that ends with an instant; returns the place of the one before it. */
  #takeRow(atUs: Float64Array, instantIndex: number): number {
    const rowUs = atUs[instantIndex] ?? 0;
    this.#rowCount++;
    if (!this.#span) {
      this.#startUs = rowUs;
      this.#endUs ??= rowUs + 1;
      return instantIndex - 1;
    }

    const { startUs, endUs } = bucketTime(this.#span, rowUs);
    this.#startUs = startUs;
    this.#endUs ??= endUs;
    return indexAt({ atUs, count: instantIndex + 1 }, startUs) - 1;
  }

  window(): NewestWindow | null {
    if (this.#endUs === undefined) return null;
    const { fromUs, toUs } = this.#range;
    return {
      fromUs: Math.max(this.#startUs, fromUs, -endOfTimeUs),
      toUs: Math.min(this.#endUs, toUs),
      hasMore: this.#hasMore,
    };
  }
}

/** The newest of two lists of instants, each in order of time, without repetitions. */
export function newestOf(
  firstList: Float64Array,
  secondList: Float64Array,
  limit: number,
): Float64Array {
  const merged = new Float64Array(limit);
  let firstIndex = firstList.length - 1;
  let secondIndex = secondList.length - 1;
  let freePlaces = limit;
  while (freePlaces > 0 && (firstIndex >= 0 || secondIndex >= 0)) {
    const firstUs = firstIndex >= 0 ? (firstList[firstIndex] ?? 0) : Number.NEGATIVE_INFINITY;
    const secondUs = secondIndex >= 0 ? (secondList[secondIndex] ?? 0) : Number.NEGATIVE_INFINITY;
    merged[--freePlaces] = Math.max(firstUs, secondUs);
    if (firstUs >= secondUs) firstIndex--;
    if (secondUs >= firstUs) secondIndex--;
  }
  return merged.slice(freePlaces);
}
