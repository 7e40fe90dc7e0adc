import {
  qualities,
  type Reading,
  type ReadingRange,
  type ReadingTextRequest,
} from '../../port/readings.ts';
import type { SeriesReadings } from '../series-readings.ts';
import type { OpenBucket } from './buckets.ts';

/** The state that a slice passes on to the next one of its read. */
interface Rest {
  open?: OpenBucket;
  /** Readings after it that were read already, so that not each slice waits for a server. */
  ahead?: SeriesReadings;
}

/** A part of a read, small enough that other reads need not wait for it. */
export interface SliceRequest extends ReadingTextRequest, Rest {
  most: number;
  /** The start of the first slice of this read; undefined for the beginning. */
  beganUs?: number;
}

export interface Slice extends Rest {
  /** In a buffer that nothing else is in, so that it can be transferred. */
  text: Uint8Array<ArrayBuffer>;
  count: number;
  digest: string;
  scanned: number;
  /** The instant of the first reading after them; null if there is none. */
  nextUs: number | null;
}

/** The readings that an engine has to read, in order of time. */
export type SliceRange = Required<ReadingRange>;

/** One reading more than the slice takes shows whether there is more, and where it starts. */
export function rangeOfSlice({
  series,
  fromUs,
  toUs,
  limit,
  most,
  buckets,
}: SliceRequest): SliceRange {
  const rowLimit = buckets ? most : Math.min(most, limit);
  return boundedRange({
    series,
    fromUs,
    toUs,
    limit: rowLimit + 1,
  });
}

export function boundedRange({ series, fromUs, toUs, limit }: ReadingRange): SliceRange {
  return {
    series,
    fromUs: within(fromUs ?? -endOfTimeUs),
    toUs: within(toUs ?? endOfTimeUs),
    limit,
  };
}

export function toReadings({ count, atUs, values, ...rest }: SeriesReadings): Reading[] {
  return Array.from({ length: count }, (_, readingIndex) => ({
    atUs: atUs[readingIndex] ?? 0,
    value: values[readingIndex] ?? 0,
    quality: qualities[(rest.qualities[readingIndex] ?? 0) - 1] ?? null,
  }));
}

/** The nearest instant that can be stored. */
export function within(us: number): number {
  return Math.min(Math.max(us, -endOfTimeUs), endOfTimeUs);
}

/** Before and after every instant that can be stored. */
export const endOfTimeUs = Number.MAX_SAFE_INTEGER;
