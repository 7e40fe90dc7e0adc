import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looked } from '../../src/core/clock.ts';
import type { ClockLooks } from '../../src/core/store.ts';

const t = Date.UTC(2026, 10, 20, 8);
const hour = 3_600_000;
const nothing: ClockLooks = { seenMs: 0, candidateMs: 0 };
const known = (times: readonly number[], gapMs?: number, start = nothing) =>
  times.reduce((looks, nowMs) => looked(looks, nowMs, gapMs), start);

describe('a look at the clock', () => {
  const cases: [what: string, times: number[], seenMs: number][] = [
    ['the first proves nothing', [t], 0],
    ['a second one soon after proves the time', [t, t + 3], t + 3],
    ['a second one later proves the first', [t, t + hour], t],
    ['a second one before it proves nothing', [t, t - 1], 0],
    ['one at a clock gone wrong is dropped by the next', [t, t + 1, t + 365 * 24 * hour, t + 2, t + 3], t + 3],
    ['two at a clock set ahead prove it', [t, t + 1, t + hour, t + hour + 1, t, t + 1], t + hour + 1],
    ['those at a clock set back move nothing', [t, t + 1, t - hour, t - hour + 1, t - hour + 60_000], t + 1],
  ];
  it.each(cases)('%s', (_what, times, seenMs) => {
    expect(known(times).seenMs).toBe(seenMs);
  });

  it('writes nothing again within ten seconds', () => {
    const looks = known([t, t + 1]);
    for (const later of [1, 2, 5000, 10_001]) expect(looked(looks, t + later)).toBe(looks);
    expect(looked(looks, t + 10_002)).toEqual({ seenMs: t + 1, candidateMs: t + 10_002 });
  });

  it('lags one look behind where each counts', () => {
    expect(known([t, t + 1000, t + 2000], 0).seenMs).toBe(t + 1000);
  });

  const times = fc.array(fc.integer({ min: 1, max: 10 * hour }), { maxLength: 40 });
  const gaps = fc.constantFrom(0, 10_000);

  it('never moves back, and never beyond a time that two looks reached', () => {
    fc.assert(
      fc.property(times, gaps, (offsets, gapMs) => {
        let looks = nothing;
        const shown: number[] = [];
        for (const nowMs of offsets) {
          const next = looked(looks, nowMs, gapMs);
          shown.push(nowMs);
          const [, second = 0] = [...shown].sort((a, b) => b - a);
          expect(next.seenMs).toBeGreaterThanOrEqual(looks.seenMs);
          // What the highest alone reached is at most the gap more than what another look proved.
          expect(next.seenMs).toBeLessThanOrEqual(second + gapMs);
          looks = next;
        }
      }),
    );
  });

  it('of a clock that goes on lags by no more than two gaps between looks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 3, maxLength: 60 }),
        gaps,
        (steps, gapMs) => {
          let nowMs = t;
          let looks = known([t, t], gapMs);
          const longest = Math.max(...steps);
          for (const step of steps) {
            nowMs += step;
            looks = looked(looks, nowMs, gapMs);
            expect(nowMs - looks.seenMs).toBeLessThanOrEqual(Math.max(gapMs, longest) + gapMs);
          }
        },
      ),
    );
  });
});
