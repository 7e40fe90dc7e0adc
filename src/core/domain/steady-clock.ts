import { type ErrorCode, isHkctlError } from '../errors.ts';
import type { ClockProgress, ClockSample, ClockSamples, SteadyTime } from '../port/clock.ts';
import type { Store } from '../port/store.ts';
import { type Clock, formatInstantMs } from '../time/instants.ts';
import { type Actor, auditDraft, requirePermissions } from './actors.ts';
import type { Domain } from './domain.ts';

export function sampleClock(machine: Clock, uptime: Clock): ClockSample {
  const upMs = uptime();
  return { nowMs: machine(), upMs };
}

/** The clock by which a store expires keys: the machine's, or that of the store's database server. */
export function storeClock({ clock }: Pick<Store, 'clock'>, machine: Clock): Clock {
  return clock.serverMs ?? machine;
}

/** A difference between clock and uptime up to this is not a jump: leap seconds and small NTP steps. */
const toleranceMs = 10_000;
/** After a jump the clock counts again once it has run steadily for this long. */
const steadyForMs = 5 * 60_000;

/**
 * The state of the clock after one more sample; the same object if nothing changed. Clock minus uptime is the instant at
 * which the machine started; it is constant unless the clock is set. While that instant is the known one, a sampled time
 * counts as steadily seen at once. A different start, after a jump or a restart, must first hold in every sample for five
 * minutes of uptime. The clock of a new store is accepted as it is.
 */
export function afterSample(before: ClockSamples, { nowMs, upMs }: ClockSample): ClockSamples {
  const startMs = nowMs - upMs;
  const { seenMs, steadyStartMs, candidateStartMs, candidateUpMs } = before;
  if (seenMs === 0 || isNear(startMs, steadyStartMs)) {
    if (nowMs <= seenMs && candidateStartMs === 0) return before;
    return { ...steadyAt(seenMs === 0 ? startMs : steadyStartMs), seenMs: Math.max(seenMs, nowMs) };
  }
  const goesOn = isNear(startMs, candidateStartMs) && upMs >= candidateUpMs;
  if (!goesOn) return { ...before, candidateStartMs: startMs, candidateUpMs: upMs };
  if (upMs - candidateUpMs < steadyForMs) return before;
  return { ...steadyAt(candidateStartMs), seenMs: Math.max(seenMs, nowMs) };
}

/** The time by a clock that was steady for five minutes: what it would show, had it not been set since the machine started. */
export function steadyTime(
  { seenMs, steadyStartMs }: ClockSamples,
  { nowMs, upMs }: ClockSample,
): SteadyTime {
  const isSteady = isNear(nowMs - upMs, steadyStartMs);
  const hasRestarted = upMs < seenMs - steadyStartMs;
  const ms = isSteady || hasRestarted ? nowMs : steadyStartMs + upMs;
  return { ms, latestMs: Math.max(ms, seenMs), isSteady };
}

/** The state with what a daemon has sampled in memory. Only an acceptance moves the time back; samples from before it do not count. */
export function mergedSamples(
  stored: ClockSamples,
  { fromMs, samples }: ClockProgress,
): ClockSamples {
  return stored.seenMs >= fromMs
    ? { ...samples, seenMs: Math.max(stored.seenMs, samples.seenMs) }
    : stored;
}

export function acceptedSamples({ nowMs, upMs }: ClockSample): ClockSamples {
  return { ...steadyAt(nowMs - upMs), seenMs: nowMs };
}

function steadyAt(steadyStartMs: number) {
  return { steadyStartMs, candidateStartMs: 0, candidateUpMs: 0 };
}

function isNear(startMs: number, knownMs: number): boolean {
  return Math.abs(startMs - knownMs) <= toleranceMs;
}

/**
 * Samples the machine's clock for a store and returns the store's clocks. `clock` is that of the machine, but never behind the latest
 * time that was steadily seen: one that jumps back does not revive an expired key, and one that was ahead for less than five minutes
 * expires keys only during that time.
 */
export async function steadyClocks(
  store: Pick<Store, 'clock'>,
  machine: Clock,
  uptime: Clock,
): Promise<Pick<Domain, 'clock' | 'steady'>> {
  const sample = sampleClock(machine, uptime);
  const before = await store.clock.read();
  const after = afterSample(before, sample);
  if (after !== before) {
    try {
      await store.clock.record(sample);
    } catch (thrown) {
      // A command that only reads can continue; one that writes will report the same error itself.
      if (!isHkctlError(thrown) || !passing.has(thrown.code)) throw thrown;
    }
  }
  return {
    clock: () => Math.max(machine(), after.seenMs),
    steady: () => steadyTime(after, sampleClock(machine, uptime)),
  };
}

const passing: ReadonlySet<ErrorCode> = new Set(['store_locked', 'store_full', 'store_unreadable']);

/** Accepts a clock that is behind the latest time steadily seen; returns the state before. Needs `store.manage`; audited. */
export async function acceptClock(
  domain: Domain,
  actor: Actor,
  sample: ClockSample,
): Promise<ClockSamples> {
  const { nowMs } = sample;
  await requirePermissions(domain, actor, 'store.accept_clock', 'clock');
  const before = await domain.store.clock.read();
  if (before.seenMs <= nowMs) return before;
  const detail = { from: formatInstantMs(before.seenMs), to: formatInstantMs(nowMs) };
  const audit = auditDraft({ clock: () => nowMs }, actor, 'store.accept_clock', 'clock', detail);
  await domain.store.clock.accept(sample, audit);
  return before;
}
