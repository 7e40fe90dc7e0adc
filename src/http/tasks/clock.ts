import { afterSample, sampleClock, steadyTime } from '../../core/domain/steady-clock.ts';
import { isClockBehind } from '../../core/operations/doctor-store.ts';
import type { ClockSample, ClockSamples, SteadyTime } from '../../core/port/clock.ts';
import type { Store } from '../../core/port/store.ts';
import { type Clock, formatInstantMs } from '../../core/time/instants.ts';
import { dayMs } from '../../core/time/spans.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition } from './repetition.ts';

const sampleGapMs = 1000;
const samplesPerUpdate = 10;

/**
 * The clock of a daemon: the machine's, but never behind the latest time that was steadily seen. The machine's clock is sampled
 * once a second in memory and the store updated every ten seconds; samples that other processes record or accept there are
 * adopted within a second.
 */
export function createDaemonClock(
  store: Pick<Store, 'clock' | 'keys'>,
  machineClock: Clock,
  uptimeClock: Clock,
  log: Log,
) {
  let samples: ClockSamples = {
    seenMs: 0,
    steadyStartMs: 0,
    candidateStartMs: 0,
    candidateUpMs: 0,
  };
  /** The latest time seen that the store held when it was last read. */
  let storedMs = 0;
  let knownCounter: number | undefined;
  let warnedUpMs = Number.NEGATIVE_INFINITY;
  /** Samples to take before the store is updated. */
  let untilUpdate = samplesPerUpdate;

  async function follow(): Promise<void> {
    const counter = await store.keys.changeCounter();
    if (counter === knownCounter) return;
    const stored = await store.clock.read();

    const isFirst = knownCounter === undefined;
    const wasAccepted = stored.seenMs < storedMs;
    knownCounter = counter;
    storedMs = stored.seenMs;
    if (isFirst || wasAccepted) samples = stored;
    else if (stored.seenMs > samples.seenMs) samples = { ...samples, seenMs: stored.seenMs };
  }

  async function sample(): Promise<void> {
    await follow();
    const newSample = sampleClock(machineClock, uptimeClock);
    samples = afterSample(samples, newSample);
    warnWhereBehind(newSample);

    if (--untilUpdate > 0) return;
    await store.clock.merge({ fromMs: storedMs, samples });
    untilUpdate = samplesPerUpdate;
  }

  /** Warns at once, and then once a day while the clock is behind. */
  function warnWhereBehind({ nowMs, upMs }: ClockSample): void {
    if (!isClockBehind(samples.seenMs, nowMs)) {
      warnedUpMs = Number.NEGATIVE_INFINITY;
      return;
    }
    if (upMs - warnedUpMs < dayMs) return;
    warnedUpMs = upMs;
    const seen = formatInstantMs(samples.seenMs);
    log.warn(
      { seen },
      'THE CLOCK IS BEHIND a time that was steadily seen, by which keys expire: see hkctl doctor',
    );
  }

  return {
    ...createRepetition({
      everyMs: sampleGapMs,
      log,
      failure: 'the clock samples were not stored; trying again',
      work: sample,
      atEnd() {
        untilUpdate = 1;
        return sample();
      },
    }),
    /** Called for every request: one call and a comparison. */
    now(): number {
      const nowMs = machineClock();
      return nowMs < samples.seenMs ? samples.seenMs : nowMs;
    },
    /** Adopts the samples of the store, which only `hkctl doctor` moves back; before the first call the clock is the machine's. */
    follow,
    /** The time by a clock that was steady for five minutes, see the core. */
    steady: (): SteadyTime => steadyTime(samples, sampleClock(machineClock, uptimeClock)),
  };
}
