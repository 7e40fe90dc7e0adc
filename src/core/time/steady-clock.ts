import { type Actor, auditDraft, type Domain, requirePermissions } from '../access/actors.ts';
import { type ErrorCode, isHkctlError } from '../errors.ts';
import type { ClockSample, ClockSamples } from '../port/clock.ts';
import type { Store } from '../port/store.ts';
import { type Clock, formatInstantMs } from './instants.ts';

/** Reads both together; the few milliseconds between them are far below what counts as a jump. */
export function sampleClock(machine: Clock, uptime: Clock): ClockSample {
  const upMs = uptime();
  return { nowMs: machine(), upMs };
}

/** The clock may move against the uptime by so much without a jump: leap seconds and small steps of NTP. */
const toleranceMs = 10_000;
/** A jump counts once the clock has gone on from it for so long. */
const steadyForMs = 5 * 60_000;
/** A store is written to at most so often for a clock that goes on. */
const writeGapMs = 10_000;

/**
 * What is known of the machine's clock after one more sample; the same object where nothing changed. The clock minus the
 * uptime is the instant at which the machine started, and stays the same for as long as nobody sets the clock. A time
 * counts as steadily seen at once while that instant is the one known; any other, after a jump or a restart, first has to
 * stay for minutes of the uptime, in every sample. The clock of a new store is taken as it is.
 */
export function afterSample(before: ClockSamples, { nowMs, upMs }: ClockSample, gapMs = writeGapMs): ClockSamples {
  const startMs = nowMs - upMs;
  const { seenMs, steadyStartMs, candidateStartMs, candidateUpMs } = before;
  if (seenMs === 0 || isNear(startMs, steadyStartMs)) {
    const isDue = nowMs - seenMs > gapMs;
    if (!isDue && candidateStartMs === 0) return before;
    const confirmedMs = seenMs === 0 ? startMs : steadyStartMs;
    return { ...steadyAt(confirmedMs), seenMs: isDue ? nowMs : seenMs };
  }
  const goesOn = isNear(startMs, candidateStartMs) && upMs >= candidateUpMs;
  if (!goesOn) return { ...before, candidateStartMs: startMs, candidateUpMs: upMs };
  if (upMs - candidateUpMs < steadyForMs) return before;
  return { ...steadyAt(candidateStartMs), seenMs: Math.max(seenMs, nowMs) };
}

/** What is known once somebody has taken the clock for right. */
export function acceptedLooks({ nowMs, upMs }: ClockSample): ClockSamples {
  return { ...steadyAt(nowMs - upMs), seenMs: nowMs };
}

function steadyAt(steadyStartMs: number) {
  return { steadyStartMs, candidateStartMs: 0, candidateUpMs: 0 };
}

function isNear(startMs: number, knownMs: number): boolean {
  return Math.abs(startMs - knownMs) <= toleranceMs;
}

/**
 * Samples the machine's clock for a store, and gives the clock by which everything in it is judged: the machine's, but
 * never behind the latest time that was steadily seen. A clock that jumps back revives no expired key, and one that was
 * ahead for a moment expires none for longer than that.
 */
export async function steadyClock(store: Pick<Store, 'clock'>, machine: Clock, uptime: Clock): Promise<Clock> {
  const sample = sampleClock(machine, uptime);
  const before = await store.clock.read();
  const after = afterSample(before, sample);
  if (after !== before) {
    try {
      await store.clock.record(sample);
    } catch (thrown) {
      // What only reads goes on where nothing can be written; what writes will tell of it itself.
      if (!isHkctlError(thrown) || !passing.has(thrown.code)) throw thrown;
    }
  }
  return () => Math.max(machine(), after.seenMs);
}

const passing: ReadonlySet<ErrorCode> = new Set(['store_locked', 'store_full', 'store_unreadable']);

/**
 * Takes the machine's clock for right again after a jump ahead that was none; gives what was steadily seen before. Nothing
 * is changed where the clock is not behind that. Needs `store.manage`; audited.
 */
export async function acceptClock(domain: Domain, actor: Actor, sample: ClockSample): Promise<ClockSamples> {
  const { nowMs } = sample;
  await requirePermissions(domain, actor, ['store.manage'], { action: 'store.accept_clock', target: 'clock' });
  const before = await domain.store.clock.read();
  if (before.seenMs <= nowMs) return before;
  const detail = { from: formatInstantMs(before.seenMs), to: formatInstantMs(nowMs) };
  const audit = auditDraft({ clock: () => nowMs }, actor, 'store.accept_clock', 'clock', detail);
  await domain.store.clock.accept(sample, audit);
  return before;
}
