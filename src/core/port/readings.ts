import type { MaybePromise } from './maybe-promise.ts';

/** A sensor as ingest knows it. */
export interface Sensor {
  /** The store's number for it, stable for as long as its readings are kept. */
  series: number;
  id: string;
  code: string;
  unit: string | null;
  isActive: boolean;
}

/** The sensors of one entity, by code and by id (a code wins where both exist). */
export type SensorDirectory = ReadonlyMap<string, Sensor>;

export const qualities = ['good', 'uncertain', 'bad'] as const;

export type Quality = (typeof qualities)[number];

/** The numbers that a {@link ReadingBatch} holds for each reading. */
export const readingColumns = 4;

/** Readings row by row, in the one layout that crosses to a writer's thread. */
export interface ReadingBatch {
  /** How many readings there are; `rows` may be longer. */
  count: number;
  /** For each reading its series, instant (whole epoch µs), value, and quality (0 = none, else 1 + the index in {@link qualities}). */
  rows: Float64Array;
}

/** What became of a batch; positions not named were accepted. */
export interface BatchResult {
  accepted: number;
  duplicates: number;
  /** Positions of readings whose sensor and instant are taken by another value. */
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

/** Readings of one bucket: `atUs` is its start; only what was asked for is set. */
export interface ReadingBucket {
  atUs: number;
  avg?: number;
  min?: number;
  max?: number;
  last?: number;
  count?: number;
}

export const aggregates = ['avg', 'min', 'max', 'last', 'count'] as const;

export type Aggregate = (typeof aggregates)[number];

/** Last known state of a sensor. */
export interface SensorState {
  lastReadingAtUs: number | null;
  lastValue: number | null;
  lastHeartbeatAtUs: number | null;
  lastStatus: string | null;
}

export interface ReadingRange {
  series: number;
  /** Inclusive. */
  fromUs?: number;
  /** Exclusive. */
  toUs?: number;
  limit: number;
}

export interface ReadingStore {
  /** The sensors of an entity as imported, each with its series number; kept until a record changes. */
  directory(entityId: string): MaybePromise<SensorDirectory>;
  /** Resolves once the accepted readings are on disk (committed and synced). `unavailable` where the queue is full. */
  append(batch: ReadingBatch): Promise<BatchResult>;
  appendHeartbeats(heartbeats: readonly Heartbeat[]): Promise<BatchResult>;
  /** In order of time. */
  range(request: ReadingRange): MaybePromise<Reading[]>;
  /** The same as text, or summed up in buckets; however much it is, other requests are answered meanwhile. */
  text(request: ReadingTextRequest, client: ReadingClient): MaybePromise<ReadingText>;
  states(series: readonly number[]): MaybePromise<ReadonlyMap<number, SensorState>>;
}

/** How readings are written for a client: JSON objects with commas between them, or whole lines of NDJSON or CSV. */
export type ReadingFormat = 'json' | 'ndjson' | 'csv';

/** Buckets of `widthUs` that start at multiples of it since the epoch, and what to write of each. */
export interface BucketRequest {
  widthUs: number;
  aggregates: readonly Aggregate[];
}

/** Readings of one series as text or, with `buckets`, summed up; empty buckets are left out. */
export interface ReadingTextRequest extends ReadingRange {
  format: ReadingFormat;
  buckets?: BucketRequest;
}

/** For whom readings are read: engines serve owners round-robin, and the reads of one owner one after the other. */
export interface ReadingClient {
  owner: string;
  /** Aborted when nobody waits for the text any more; the read then rejects with its reason. */
  signal?: AbortSignal;
  /** Called with 0 before anything is read, and then with how many readings each part took; what it throws ends the read. */
  charge(readings: number): void;
}

/**
 * Readings as text in order of time, without what stands before and after them. It may hold fewer rows than asked for, but
 * at least one before the last: an engine looks through a bounded number of readings for it, and through more only for a
 * single bucket.
 */
export interface ReadingText {
  /** What is written, piece after piece. */
  pieces: readonly Uint8Array[];
  /** Rows in it. */
  count: number;
  /** Names the content: another one never has the same. */
  digest: string;
  /** Where the next page starts; null at the end. */
  nextUs: number | null;
}
