import { expect, it } from 'vitest';
import { aheadFault, instantFault } from '../../../src/core/readings/instant-faults.ts';
import { earliestMeasuredUs, instantUs, measuredUs } from '../../../src/core/readings/instants.ts';

/** The detail of the fault of an instant, whichever it has. */
function detailOf(at: unknown): string {
  const atUs = measuredUs(at);
  const isEarly = atUs === undefined || atUs < earliestMeasuredUs;
  return (isEarly ? instantFault(at, atUs) : aheadFault(at, atUs)).detail;
}

it.each([
  ['epoch seconds of 2026-11-20T08:15:00Z', 1_795_162_500],
  ['epoch microseconds of 2026-11-20T08:15:00Z', 1_795_162_500_000_000],
  ['epoch nanoseconds of 2026-11-20T08:15:00Z', 1_795_162_500_000_000_000],
  ['epoch seconds of 2026-11-20T08:15:00.123Z', 1_795_162_500.1234],
  ['the digits of 2026-11-20T08:15:00Z', 202611200815],
  ['the digits of 2026-11-20T08:15:30Z', 20261120081530],
  ['the digits of 2026-11-20T08:15:30Z', 261120081530],
  ['the digits of 2026-11-20T00:00:00Z', 20261120],
  ['the digits of 2026-11-20T08:15:30Z', '20261120081530123'],
  ['the digits of 2026-11-20T08:15:00Z', '202611200815'],
  ['a number in quotes: send it without them', '1795162500000'],
  ['epoch seconds of 2026-11-20T08:15:00Z', '1795162500'],
])('says that it looks like %s: %s', (meaning, at) => {
  expect(detailOf(at)).toContain(`looks like ${meaning}`);
});

it.each([17, 0, -5, 12_345, 200_000_000_000, 1e300, '12:30', {}, [1], true, null])(
  'shows %j without a guess',
  (at) => {
    expect(detailOf(at)).not.toContain('looks like');
    expect(detailOf(at)).toMatch(/^(?:\S+|"12:30") (?:is|must)/);
  },
);

it('an instant before 1990 asks for the clock', () => {
  expect(instantFault('1970-01-01T00:00:17Z', instantUs('1970-01-01T00:00:17Z'))).toEqual({
    code: 'invalid_at',
    detail:
      '"1970-01-01T00:00:17Z" is before 1990: set the clock, or give RFC 3339 with an offset, such as 2026-11-20T08:15:00Z, or whole epoch milliseconds.',
  });
  expect(detailOf(200_000_000_000)).toContain(
    'is before 1990 (it means 1976-05-03T19:33:20.000000Z)',
  );
});
