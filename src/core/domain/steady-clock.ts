import { type ErrorCode, isHkctlError } from '../errors.ts';
import type { ClockProgress, ClockSample, ClockSamples, SteadyTime } from '../port/clock.ts';
import type { Store } from '../port/store.ts';
import { type Clock, formatInstantMs } from '../time/instants.ts';
import { type Actor, auditDraft, requirePermissions } from './actors.ts';
import type { Domain } from './domain.ts';

export function sampleClock(machineClock: Clock, uptimeClock: Clock): ClockSample {
  const upMs = uptimeClock();
  return { nowMs: machineClock(), upMs };
}

/** The clock that expires the keys of a store: the machine's, or the clock of the store's database server. */
export function storeClock({ clock }: Pick<Store, 'clock'>, machineClock: Clock): Clock {
  return clock.serverMs ?? machineClock;
}

/** A difference between clock and uptime up to this is not a jump: leap seconds and small NTP steps. */
const jumpToleranceMs = 10_000;
/** After a jump the clock counts again once it has run steadily for this long. */
const steadyForMs = 5 * 60_000;

/**
 * The state of the clock after one more sample; the same object if nothing changed. Clock minus uptime is the instant at
 * which the machine started; it is constant unless the clock is set. While that instant is the known one, a sampled time
 * counts as steadily seen at once. A different start, after a jump or a restart, must first hold in every sample for five
 * minutes of uptime. The clock of a new store is accepted as it is.
 */
export function afterSample(samples: ClockSamples, { nowMs, upMs }: ClockSample): ClockSamples {
  const startMs = nowMs - upMs;
  const { seenMs, steadyStartMs, candidateStartMs, candidateUpMs } = samples;
  const isNewStore = seenMs === 0;
  if (isNewStore || isNear(startMs, steadyStartMs)) {
    if (nowMs <= seenMs && candidateStartMs === 0) return samples;

    const knownStartMs = isNewStore ? startMs : steadyStartMs;
    return { ...steadyAt(knownStartMs), seenMs: Math.max(seenMs, nowMs) };
  }

  const isSameCandidate = isNear(startMs, candidateStartMs) && upMs >= candidateUpMs;
  if (!isSameCandidate) {
    return { ...samples, candidateStartMs: startMs, candidateUpMs: upMs };
  }
  if (upMs - candidateUpMs < steadyForMs) return samples;
  return { ...steadyAt(candidateStartMs), seenMs: Math.max(seenMs, nowMs) };
}

/** The time of a clock that was steady for five minutes: the time it would show, had it not been set since the machine started. */
export function steadyTime(
  { seenMs, steadyStartMs }: ClockSamples,
  { nowMs, upMs }: ClockSample,
): SteadyTime {
  const isSteady = isNear(nowMs - upMs, steadyStartMs);
  const hasRestarted = upMs < seenMs - steadyStartMs;
  const steadyMs = isSteady || hasRestarted ? nowMs : steadyStartMs + upMs;
  return { ms: steadyMs, latestMs: Math.max(steadyMs, seenMs), isSteady };
}

/** Merges the samples that a daemon holds in memory. Only an acceptance moves the time back; earlier samples do not count. */
export function mergedSamples(
  stored: ClockSamples,
  { fromMs, samples }: ClockProgress,
): ClockSamples {
  if (stored.seenMs < fromMs) return stored;
  return { ...samples, seenMs: Math.max(stored.seenMs, samples.seenMs) };
}

export function acceptedSamples({ nowMs, upMs }: ClockSample): ClockSamples {
  return { ...steadyAt(nowMs - upMs), seenMs: nowMs };
}

function steadyAt(steadyStartMs: number) {
  return { steadyStartMs, candidateStartMs: 0, candidateUpMs: 0 };
}

function isNear(startMs: number, knownMs: number): boolean {
  return Math.abs(startMs - knownMs) <= jumpToleranceMs;
}

/**
 * Samples the machine's clock for a store and returns the store's clocks. `clock` is that of the machine, but never behind the
 * latest time that was steadily seen. A clock that jumps back revives no expired key. A clock that is ahead for less than five
 * minutes expires keys only during that time.
 */
export async function steadyClocks(
  store: Pick<Store, 'clock'>,
  machineClock: Clock,
  uptimeClock: Clock,
  { isReadOnly = false } = {},
): Promise<Pick<Domain, 'clock' | 'steady'>> {
  const sample = sampleClock(machineClock, uptimeClock);
  const storedSamples = await store.clock.read();
  const currentSamples = afterSample(storedSamples, sample);
  const isWanted = isReadOnly
    ? await isWorthRecording(store, storedSamples, currentSamples)
    : currentSamples !== storedSamples;
  if (isWanted) {
    try {
      await store.clock.record(sample);
    } catch (thrown) {
      // A command that only reads can continue; a command that writes will report the same error itself.
      if (!isHkctlError(thrown) || !toleratedErrors.has(thrown.code)) {
        throw thrown;
      }
    }
  }
  return {
    clock: () => Math.max(machineClock(), currentSamples.seenMs),
    steady: () => steadyTime(currentSamples, sampleClock(machineClock, uptimeClock)),
  };
}

/** Of a command that only reads, a sample that is only seconds newer is left out, unless a key has expired since. */
async function isWorthRecording(
  { clock }: Pick<Store, 'clock'>,
  stored: ClockSamples,
  current: ClockSamples,
): Promise<boolean> {
  if (current === stored) return false;
  const isSameClock =
    stored.steadyStartMs === current.steadyStartMs &&
    stored.candidateStartMs === current.candidateStartMs &&
    stored.candidateUpMs === current.candidateUpMs;
  if (!isSameClock || current.seenMs - stored.seenMs > jumpToleranceMs) return true;
  return clock.hasExpiryWithin(stored.seenMs, current.seenMs);
}

const toleratedErrors: ReadonlySet<ErrorCode> = new Set([
  'store_locked',
  'store_full',
  'store_unreadable',
]);

/** Accepts a clock that is behind the latest time steadily seen; returns the state before. Needs `store.manage`; audited. */
export async function acceptClock(
  domain: Domain,
  actor: Actor,
  sample: ClockSample,
): Promise<ClockSamples> {
  const { nowMs } = sample;
  await requirePermissions(domain, actor, 'store.accept_clock', 'clock');
  const replacedSamples = await domain.store.clock.read();
  if (replacedSamples.seenMs <= nowMs) return replacedSamples;

  const detail = { from: formatInstantMs(replacedSamples.seenMs), to: formatInstantMs(nowMs) };
  const audit = auditDraft({ clock: () => nowMs }, actor, 'store.accept_clock', 'clock', detail);
  await domain.store.clock.accept(sample, audit);
  return replacedSamples;
}
