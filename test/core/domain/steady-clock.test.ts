import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptedSamples,
  afterSample,
  sampleClock,
  steadyTime,
} from '../../../src/core/domain/steady-clock.ts';
import type { ClockSamples } from '../../../src/core/port/clock.ts';
import { propertyRuns } from '../../properties.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** The instant at which the machine started; times below are its uptime. */
const bootMs = Date.UTC(2026, 10, 20);
const nothing: ClockSamples = {
  seenMs: 0,
  steadyStartMs: 0,
  candidateStartMs: 0,
  candidateUpMs: 0,
};

/** Samples of a machine that has run for `upMs` and whose clock is `aheadMs` ahead. */
type Sample = [upMs: number, aheadMs?: number];
const known = (samples: readonly Sample[], start = nothing) =>
  samples.reduce(
    (state, [upMs, aheadMs = 0]) => afterSample(state, { nowMs: bootMs + upMs + aheadMs, upMs }),
    start,
  );

describe('the steady time', () => {
  const year = 365 * day;
  const steady = (samples: Sample[]) => {
    const [upMs, aheadMs = 0] = samples.at(-1) ?? [0];
    const { ms, isSteady } = steadyTime(known(samples), { nowMs: bootMs + upMs + aheadMs, upMs });
    return [ms - bootMs, isSteady];
  };

  it.each<[what: string, samples: Sample[], ms: number, isSteady: boolean]>([
    ['is that of a new store', [[hour]], hour, true],
    [
      'goes on with the uptime while the clock is ahead',
      [[hour], [2 * hour, year]],
      2 * hour,
      false,
    ],
    [
      'is steady again once the clock is right',
      [[hour], [2 * hour, year], [3 * hour]],
      3 * hour,
      true,
    ],
    [
      'follows a clock that stays ahead after five minutes',
      [[hour], [hour, year], [2 * hour, year]],
      2 * hour + year,
      true,
    ],
    ['goes on with the uptime while the clock is behind', [[day], [2 * day, -day]], 2 * day, false],
    [
      'is that of the clock after a restart, and is not steady',
      [[day], [minute, 2 * day]],
      minute + 2 * day,
      false,
    ],
    [
      'is steady five minutes after a restart',
      [[day], [minute, day], [6 * minute, day]],
      6 * minute + day,
      true,
    ],
  ])('%s', (_what, samples, ms, isSteady) => {
    expect(steady(samples)).toEqual([ms, isSteady]);
  });
});

describe('samples of the clock', () => {
  const year = 365 * day;
  const cases: [what: string, samples: Sample[], seenMs: number][] = [
    ['the first of a new store counts', [[hour]], hour],
    ['a sample of a steady clock counts at once', [[hour], [2 * hour]], 2 * hour],
    ['a sample a moment later counts as well', [[hour], [hour + second]], hour + second],
    [
      'a single sample of a wrong clock is dropped',
      [[hour], [hour + minute, year], [hour + 2 * minute]],
      hour + 2 * minute,
    ],
    [
      'two within a second at a clock gone wrong are dropped as well',
      [[hour], [hour + minute, year], [hour + minute + second, year], [hour + 2 * minute]],
      hour + 2 * minute,
    ],
    [
      'a jump ahead counts for nothing before five minutes',
      [[hour], [hour, day], [hour + 5 * minute - 1, day]],
      hour,
    ],
    [
      'a jump ahead counts after five minutes',
      [[hour], [hour, day], [hour + 5 * minute, day]],
      hour + 5 * minute + day,
    ],
    [
      'a jump ahead that was interrupted begins anew',
      [
        [hour],
        [hour, day],
        [hour + 4 * minute],
        [hour + 5 * minute, day],
        [hour + 9 * minute, day],
      ],
      hour + 4 * minute,
    ],
    [
      'a jump ahead out of a jump ahead begins anew',
      [[hour], [hour, day], [hour + 4 * minute, 2 * day], [hour + 8 * minute, 2 * day]],
      hour,
    ],
    [
      'a leap second or a small step is no jump',
      [[hour], [2 * hour, 5 * second]],
      2 * hour + 5 * second,
    ],
    ['a sleep is none either: the uptime counts it', [[hour], [30 * day]], 30 * day],
    [
      'samples of a clock that was set back change nothing',
      [[day], [day, -hour], [day + 10 * minute, -hour]],
      day,
    ],
    [
      'a clock set back and right again goes on at once',
      [[day], [day + minute, -hour], [day + 2 * minute]],
      day + 2 * minute,
    ],
  ];
  it.each(cases)('%s', (_what, samples, seenMs) => {
    expect(known(samples).seenMs - bootMs).toBe(seenMs);
  });

  it('of a machine that was off for years count after five minutes', () => {
    const before = known([[30 * day]]);
    const laterMs = bootMs + 1000 * day;
    const at = (state: ClockSamples, upMs: number) =>
      afterSample(state, { nowMs: laterMs + upMs, upMs });
    const started = at(before, second);
    expect(started.seenMs).toBe(before.seenMs);
    expect(at(started, second + 5 * minute - 1).seenMs).toBe(before.seenMs);
    const steady = at(started, second + 5 * minute);
    expect(steady.seenMs).toBe(laterMs + second + 5 * minute);
    expect(at(steady, hour).seenMs).toBe(laterMs + hour);
  });

  it('of a machine without a hardware clock, which starts in 1970, change nothing and count only after it is set', () => {
    const before = known([[30 * day]]);
    const in1970 = (state: ClockSamples, upMs: number) => afterSample(state, { nowMs: upMs, upMs });
    let state = before;
    for (const upMs of [second, 10 * second, hour]) state = in1970(state, upMs);
    expect(state.seenMs).toBe(before.seenMs);
    const set = (upMs: number) => ({ nowMs: bootMs + 40 * day + upMs, upMs });
    state = afterSample(state, set(hour));
    expect(state.seenMs).toBe(before.seenMs);
    expect(afterSample(state, set(hour + 5 * minute)).seenMs).toBe(
      bootMs + 40 * day + hour + 5 * minute,
    );
  });

  it('of another machine with the same start but a shorter life count from its own first', () => {
    const before = known([[10 * day], [10 * day, day]]);
    const state = afterSample(before, { nowMs: bootMs + day + minute, upMs: minute });
    expect(state).toMatchObject({ seenMs: before.seenMs, candidateUpMs: minute });
  });

  it('write nothing where nothing changed', () => {
    const state = known([[hour]]);
    expect(known([[hour]], state)).toBe(state);
    const jumped = known([[hour, day]], state);
    expect(known([[hour + minute, day]], jumped)).toBe(jumped);
    expect(known([[hour]], jumped)).toEqual(state);
  });

  it('count at once when accepted, also behind the time that was seen', () => {
    const state = acceptedSamples({ nowMs: bootMs + hour, upMs: 2 * hour });
    expect(state.seenMs).toBe(bootMs + hour);
    expect(
      afterSample(state, { nowMs: bootMs + hour + minute, upMs: 2 * hour + minute }).seenMs,
    ).toBe(bootMs + hour + minute);
  });

  it('are made of clock and uptime', () => {
    expect(
      sampleClock(
        () => 5,
        () => 3,
      ),
    ).toEqual({ nowMs: 5, upMs: 3 });
  });

  const jumps = fc.constantFrom(0, 0, 0, -day, -hour, hour, day, 365 * day);
  /** The clock stays as it is for some samples, then it is set. */
  const stays = fc.array(fc.integer({ min: 0, max: 3 * minute }), { minLength: 1, maxLength: 6 });
  const steps = fc
    .array(fc.tuple(jumps, stays), { minLength: 1, maxLength: 12 })
    .map((runs) =>
      runs.flatMap(([aheadMs, gapsMs]) => gapsMs.map((gapMs) => [gapMs, aheadMs] as const)),
    );

  it('never move the seen time back, nor beyond a time that was shown for five minutes without interruption', () => {
    let counted = 0;
    fc.assert(
      fc.property(steps, (given) => {
        let state = known([[day]]);
        let upMs = day;
        const shown: { upMs: number; aheadMs: number }[] = [{ upMs, aheadMs: 0 }];
        for (const [step, aheadMs] of given) {
          upMs += step;
          shown.push({ upMs, aheadMs });
          const next = known([[upMs, aheadMs]], state);
          expect(next.seenMs).toBeGreaterThanOrEqual(state.seenMs);
          if (next.seenMs > state.seenMs) {
            // Either the clock is as steady as at the last counted sample, or it has been unchanged for five minutes.
            const since = shown.findLastIndex((one) => one.aheadMs !== aheadMs) + 1;
            const forMs = upMs - (shown[since]?.upMs ?? upMs);
            const goesOn = Math.abs(bootMs + aheadMs - state.steadyStartMs) <= 10_000;
            expect(goesOn || forMs >= 5 * minute).toBe(true);
            if (!goesOn) counted++;
          }
          state = next;
        }
      }),
      propertyRuns(1000),
    );
    expect(counted).toBeGreaterThan(10);
  });

  it('of a steady clock never lag', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 60 }),
        (sleeps) => {
          let state = known([[day]]);
          let upMs = day;
          for (const sleep of sleeps) {
            upMs += sleep;
            state = known([[upMs]], state);
            expect(bootMs + upMs - state.seenMs).toBe(0);
          }
        },
      ),
    );
  });
});
