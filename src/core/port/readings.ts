import { canonicalText } from '../text/words.ts';
import type { MaybePromise } from './maybe-promise.ts';

export interface Sensor {
  /** The store's number for it, stable for as long as its readings are kept. */
  series: number;
  id: string;
  code: string;
  unit: string | null;
  isActive: boolean;
  /** A span such as `15m`; null for the default. */
  silentAfter: string | null;
}

/** The sensors of one entity, by code and by id (a code wins if both exist). */
export type SensorDirectory = ReadonlyMap<string, Sensor>;

export function toDirectory(sensors: readonly Sensor[]): SensorDirectory {
  const byName = (name: 'id' | 'code', form = (text: string) => text) =>
    sensors.map((sensor) => [form(sensor[name]), sensor] as const);
  // Older versions have stored names in any form of Unicode.
  return new Map([
    ...byName('id', canonicalText),
    ...byName('code', canonicalText),
    ...byName('id'),
    ...byName('code'),
  ]);
}

/** More characters than any other form of a code or an id of 64 has: NFC makes one of four at most. */
export const longestName = 256;

/** The sensor of a code or an id, in whichever form of Unicode it is written. */
export function sensorNamed(directory: SensorDirectory, name: string): Sensor | undefined {
  if (name.length > longestName) return undefined;
  return directory.get(name) ?? directory.get(canonicalText(name));
}

export const qualities = ['good', 'uncertain', 'bad'] as const;

type Quality = (typeof qualities)[number];

/** The numbers that a {@link ReadingBatch} holds for each reading. */
export const readingColumns = 4;

/** Readings row by row, in the one layout that crosses to a writer's thread. */
export interface ReadingBatch {
  /** How many readings there are; `rows` may be longer. */
  count: number;
  /** For each reading its series, instant (whole epoch µs), value, and quality (0 = none, else 1 + the index in {@link qualities}). */
  rows: Float64Array;
}

/** The result of a batch; positions not named were accepted. */
export interface BatchResult {
  accepted: number;
  duplicates: number;
  /** Positions of readings whose sensor has another value at that instant already. */
  conflicts: readonly number[];
}

export interface Heartbeat {
  series: number;
  atUs: number;
  status: string | null;
  battery: number | null;
  signal: number | null;
  firmware: string | null;
}

export interface Reading {
  atUs: number;
  value: number;
  quality: Quality | null;
}

export const aggregates = ['avg', 'min', 'max', 'first', 'last', 'count', 'increase'] as const;

export type Aggregate = (typeof aggregates)[number];

/** The aggregates of one bucket, which starts at `atUs`. */
export type ReadingBucket = Record<'atUs' | Aggregate, number>;

/** The newest reading of a sensor and its newest heartbeat. */
export interface SensorState {
  reading: { atUs: number; value: number } | undefined;
  heartbeat: Omit<Heartbeat, 'series'> | undefined;
}

export interface ReadingRange {
  series: number;
  /** Inclusive. */
  fromUs?: number;
  /** Exclusive. */
  toUs?: number;
  limit: number;
}

/** A reading with its sensor's series. */
export interface StoredReading extends Reading {
  series: number;
}

/** All readings that any process stores from the moment when the feed was opened, of any age, each reading once. */
export interface ReadingFeed {
  /**
   * The readings that were stored since the last call. Not `isComplete` after a long pause: then some may be missing that were late, older
   * than one of their sensor that was reported before.
   */
  next(): MaybePromise<{ readings: StoredReading[]; isComplete: boolean }>;
  close(): MaybePromise<void>;
}

export interface ReadingStore {
  /** The sensors of an entity as imported, each with its series number; kept until a record changes. */
  directory(entityId: string): MaybePromise<SensorDirectory>;
  /** Resolves once readings, of any age, are on disk (committed and synced). `unavailable` if the queue is full. */
  append(batch: ReadingBatch): Promise<BatchResult>;
  /** The value that each reading of a batch finds at its instant, in order; NaN where there is none. Stores nothing. */
  valuesAt(batch: ReadingBatch): MaybePromise<Float64Array>;
  appendHeartbeats(heartbeats: readonly Heartbeat[]): Promise<BatchResult>;
  range(request: ReadingRange): MaybePromise<Reading[]>;
  /** Follows series of one entity. */
  follow(series: readonly number[]): MaybePromise<ReadingFeed>;
  /** The same as text, or aggregated in buckets; other requests are served meanwhile, even for a large range. */
  text(request: ReadingTextRequest, client: ReadingClient): MaybePromise<ReadingText>;
  /**
   * Aggregates of several series as one page: of one after the other, until as many rows are read as the first request asks for. The
   * last text may be incomplete; series after it are not read.
   */
  texts(
    requests: readonly ReadingTextRequest[],
    client: ReadingClient,
  ): MaybePromise<ReadingText[]>;
  /** The time of the newest rows of a range; null if it holds none. */
  newest(request: NewestRows, client: ReadingClient): MaybePromise<NewestWindow | null>;
  /** The last states of series of one entity; the last reading is the newest one, or the last dropped one if that is newer. */
  states(series: readonly number[]): MaybePromise<ReadonlyMap<number, SensorState>>;
  /**
   * Replaces the oldest readings of an entity by the sums of their quarters of an hour, a bounded number in one atomic step;
   * the caller repeats it with the returned position until that is null. A step without a position records `untilUs`. A
   * reading that arrived for a quarter after that was dropped is removed, but not counted.
   */
  drop(request: DropRequest): MaybePromise<DropResult>;
  retention(entityId: string): MaybePromise<RetentionState>;
  /** How many readings `drop` would take out of an entity before an instant; counts to one more than {@link mostDroppableCounted}. */
  countDroppable(entityId: string, untilUs: number): MaybePromise<number>;
  /** How many readings lie in a range, and how many dropped ones its sums count; what `erase` would take out. */
  countRange(range: SeriesRange): MaybePromise<RangeCount>;
  /**
   * Deletes the readings and the sums of a range in steps, between which ingest can commit; repeating it after a crash
   * completes it. A dropped quarter that lies only partly in the range stays: the caller checks that first (`countRange`).
   */
  erase(range: SeriesRange): MaybePromise<void>;
}

export type SeriesRange = Required<Omit<ReadingRange, 'limit'>>;

export interface RangeCount {
  readings: number;
  /** Dropped readings that the sums in the range count. */
  summarised: number;
  /** The start of the first dropped quarter of which only a part lies in the range; null if there is none. */
  splitQuarterUs: number | null;
}

export interface DropRequest {
  entityId: string;
  /** The begin of a quarter of an hour: readings before it are dropped. */
  untilUs: number;
  /** The position at which the step before stopped; absent at first. */
  position?: number;
}

/** The highest number of readings that are counted before they are dropped: counting more would take seconds. */
export const mostDroppableCounted = 1_000_000;

/** The state of the retention of an entity; null if there is none yet. */
export interface RetentionState {
  oldestUs: number | null;
  /** The end of the latest drop, which may have been interrupted. */
  untilUs: number | null;
  /** The instant of the latest reading that was dropped. */
  summarisedUs: number | null;
}

export interface DropResult {
  readings: number;
  /** The position of the next step; null once nothing is left before the border. */
  next: number | null;
}

/** How readings are written for a client: JSON objects with commas between them, or whole lines of NDJSON or CSV. */
export type ReadingFormat = 'json' | 'ndjson' | 'csv';

/**
 * How buckets lie in time; plain data, since it crosses from one thread to another. Buckets of a width begin at multiples of it,
 * counted from `originUs` (absent: 1970). Buckets of days begin at midnight in a zone, every so many days counted from `firstDay`
 * (days since 1970-01-01), and last as long as these days do there; likewise those of months, counted from January 1970.
 */
export type BucketSpan =
  | { widthUs: number; originUs?: number }
  | { days: number; firstDay: number; timezone: string }
  | { months: number; timezone: string };

/** The buckets of a read, and the aggregates to write of each. */
export type BucketRequest = BucketSpan & { aggregates: readonly Aggregate[] };

/** Readings of a range or, with `buckets`, buckets that hold any: the newest `rows` of them. */
export interface NewestRows extends Omit<ReadingRange, 'limit'> {
  rows: number;
  buckets?: BucketSpan;
}

/** A part of a range that ends with its last row. */
export interface NewestWindow {
  fromUs: number;
  toUs: number;
  /** Whether the range holds older rows. */
  hasMore: boolean;
}

/** Readings of one series as text or, with `buckets`, aggregated; empty buckets are left out. */
export interface ReadingTextRequest extends ReadingRange {
  format: ReadingFormat;
  buckets?: BucketRequest;
  /** Whether the newest row comes first; the rows are the same. */
  isNewestFirst?: boolean;
  /** The first cells or fields of each row, with the comma after them. */
  lead?: string;
  /** Bytes to leave free before and after the text, for the document around it. */
  margins?: { before: number; after: number };
}

/** The client of a read: engines serve owners round-robin, and the reads of one owner one after the other. */
export interface ReadingClient {
  owner: string;
  /** Aborted when the client is gone; the read then rejects with its reason. */
  signal?: AbortSignal;
  /**
   * Called with 0 before anything is read, then with the readings that each part has written, and a hundredth of those that it has
   * summed up; what it throws ends the read.
   */
  charge(readings: number): void;
  /** Memory of at least so many bytes for the text, and whatever is in it. */
  memory?(bytes: number): Uint8Array<ArrayBuffer>;
}

/** Readings as text, without head and tail of the document: as many as requested, unless there are fewer. */
export interface ReadingText {
  text: Uint8Array<ArrayBuffer>;
  count: number;
  /** A hash of the content, for the ETag. */
  digest: string;
  /** The position of the next page; null at the end. */
  nextUs: number | null;
}
