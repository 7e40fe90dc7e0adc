import type { AuditDraft } from './audit.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** A sample of the machine: its clock, and its uptime including sleep, which cannot be set. */
export interface ClockSample {
  nowMs: number;
  upMs: number;
}

/** The state of the trusted clock, from samples of the machine's clock; 0 = nothing yet. The rule is `afterSample` in time/steady-clock.ts. */
export interface ClockSamples {
  /** The latest time that was seen steadily. */
  seenMs: number;
  /** The clock minus the uptime (the instant at which the machine started) that counts as steady. */
  steadyStartMs: number;
  /** The same of a clock that jumped and must stay so for a while, and the uptime at which that was first seen. */
  candidateStartMs: number;
  candidateUpMs: number;
}

/** A time that what cannot be undone, or is kept for good, may go by. */
export interface SteadyTime {
  ms: number;
  /** The same, but never behind the latest time that was steadily seen, by which keys expire. */
  latestMs: number;
  /** Whether the clock that shows it has been steady for five minutes. */
  isSteady: boolean;
}

/** Samples in a daemon's memory since it read `fromMs` as the time seen steadily. */
export interface ClockProgress {
  fromMs: number;
  samples: ClockSamples;
}

export interface ClockStore {
  /** The clock of the database server, if keys expire by that one; between its answers it advances by a monotonic clock. */
  serverMs?(): number;
  read(): MaybePromise<ClockSamples>;
  /** Whether a key that is not revoked has expired after `fromMs`, at `toMs` at the latest. */
  hasExpiryWithin(fromMs: number, toMs: number): MaybePromise<boolean>;
  /** Records a sample of the machine's clock, without waiting for another writer (`store_locked`). */
  record(sample: ClockSample): MaybePromise<void>;
  /** Merges what a daemon has sampled; ignored if the clock was accepted since `fromMs` was read. */
  merge(progress: ClockProgress): MaybePromise<void>;
  /** Accepts a sample as the time seen steadily, even if it is behind. */
  accept(sample: ClockSample, audit: AuditDraft): MaybePromise<void>;
}
