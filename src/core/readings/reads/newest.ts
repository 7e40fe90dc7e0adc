import type { BucketSpan, NewestRows, NewestWindow } from '../../port/readings.ts';
import { placeOf } from '../columns.ts';
import { bucketTime } from './bucket-spans.ts';
import { boundedRange, endOfTimeUs, type SliceRange } from './slice-request.ts';
import { firstHourOf, usesSummaries } from './summaries.ts';

/** What an engine looks up in one step of a search backward in time. */
export interface BackwardRequest extends SliceRange {
  /** The instants are before this one, which is not behind the end of the range. */
  beforeUs: number;
  /** If summaries take part: the first hour whose readings can all lie in the range. */
  firstHourUs: number | undefined;
}

/**
 * Finds where the newest rows of a range begin, step by step from its end: readings or, with a span, buckets that hold any. Bounded
 * steps let other reads go first, and no readings of a bucket are looked through but its newest.
 */
export class BackwardSearch {
  readonly #request: NewestRows;
  readonly #range: SliceRange;
  readonly #span: BucketSpan | undefined;
  #found = 0;
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
      limit: Math.min(limit, rows - this.#found + 1),
      beforeUs: this.#beforeUs,
      firstHourUs: usesSummaries({ buckets }) ? firstHourOf(this.#range.fromUs) : undefined,
    };
  }

  /** Takes the newest instants that the step asked for, in order of time; fewer than its limit if there are no older ones. */
  take(instants: Float64Array, { limit }: BackwardRequest): void {
    for (let place = instants.length - 1; place >= 0; ) {
      if (this.#found === this.#request.rows) {
        this.#hasMore = true;
        break;
      }
      place = this.#takeRow(instants, place);
    }
    this.#beforeUs = Math.max(this.#startUs, this.#range.fromUs);
    this.isDone = this.#hasMore || instants.length < limit;
  }

  /** Takes the row that ends with an instant; returns the place of the one before it. */
  #takeRow(atUs: Float64Array, place: number): number {
    const at = atUs[place] ?? 0;
    this.#found++;
    if (!this.#span) {
      this.#startUs = at;
      this.#endUs ??= at + 1;
      return place - 1;
    }
    const { startUs, endUs } = bucketTime(this.#span, at);
    this.#startUs = startUs;
    this.#endUs ??= endUs;
    return placeOf({ atUs, count: place + 1 }, startUs) - 1;
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
export function newestOf(some: Float64Array, others: Float64Array, limit: number): Float64Array {
  const merged = new Float64Array(limit);
  let [left, right, free] = [some.length - 1, others.length - 1, limit];
  while (free > 0 && (left >= 0 || right >= 0)) {
    const one = left >= 0 ? (some[left] ?? 0) : Number.NEGATIVE_INFINITY;
    const other = right >= 0 ? (others[right] ?? 0) : Number.NEGATIVE_INFINITY;
    merged[--free] = Math.max(one, other);
    if (one >= other) left--;
    if (other >= one) right--;
  }
  return merged.slice(free);
}
