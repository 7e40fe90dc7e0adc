import type { AuditDraft } from '../audit/events.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** What the machine shows at one moment: its clock, and how long it has run, sleep included, which nobody can set. */
export interface ClockSample {
  nowMs: number;
  upMs: number;
}

/** What is known of the machine's clock; 0 = nothing yet. The rule is `afterSample` in clock.ts. */
export interface ClockSamples {
  /** The latest time that was steadily seen. */
  seenMs: number;
  /** The clock minus the uptime (the instant at which the machine started) that counts as steady. */
  steadyStartMs: number;
  /** The same of a clock that was seen to jump and must stay so for a while, and the uptime at which that was first seen. */
  candidateStartMs: number;
  candidateUpMs: number;
}

/** What a daemon knows in memory since it read `fromMs` as the time steadily seen. */
export interface ClockProgress {
  fromMs: number;
  looks: ClockSamples;
}

export interface ClockStore {
  read(): MaybePromise<ClockSamples>;
  /** Notes a sample of the machine's clock, without waiting for another writer (`store_locked`). */
  note(sample: ClockSample): MaybePromise<void>;
  /** Takes over what a daemon knows; that does not count where the clock was accepted meanwhile. */
  bring(progress: ClockProgress): MaybePromise<void>;
  /** Takes a sample for the time steadily seen, though it is behind. */
  accept(sample: ClockSample, audit: AuditDraft): MaybePromise<void>;
}
